/* Factors: what calls took in the trace over what the model says. */
#include "tools/replay/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/vector.h"

/* The least part of what a call takes that its ranks wait for, if that tells a factor: the rest goes on while they are
 * late, or work. */
static const double LEAST = 0.1;

static struct wm_replay_stage *stage_of(struct wm_replay *r, enum wm_replay_cast cast, size_t instance)
{
    if (r->calls->instances[instance].message)
        return &r->messages;
    if (cast == WM_REPLAY_THEN)
        return &r->then;
    return r->modelled[instance] ? &r->library : &r->now;
}

struct wm_replay_shape *wm_replay_shape_of(struct wm_replay *r, enum wm_replay_cast cast, size_t instance)
{
    int shape = r->shapes[cast][instance];

    return shape != WM_REPLAY_NO_SHAPE ? stage_of(r, cast, instance)->shapes[shape] : NULL;
}

void wm_replay_divide(const struct wm_replay_calls *calls, size_t number, const struct wm_replay_times *times,
                      const int64_t *leaves, int64_t *service_ns, int64_t *wait_ns)
{
    const struct wm_replay_instance *instance = &calls->instances[number];
    const struct wm_replay_call *first = wm_replay_call_of(calls, instance, 0);
    const int64_t *blocked = times->waits != NULL ? times->waits : times->arrivals;
    int ranks = wm_replay_size(calls, instance);
    struct wm_replay_dependency dependency =
        wm_replay_depends((enum wm_operation)first->operation, first->root, ranks, times);

    for (int m = 0; m < ranks; m++) {
        int64_t there = wm_replay_dependency_of(&dependency, m);

        if (wm_replay_call_of(calls, instance, m)->unseen)
            continue;
        there = there < leaves[m] ? there : leaves[m];
        *service_ns += leaves[m] - there;
        *wait_ns += there - blocked[m];
    }
}

/* Keep some ratios, of calls drawn evenly that are not hidden. */
static int note_ratio(struct wm_replay_shape *s, double measured, double found)
{
    size_t place = s->ratio_count;

    if (measured <= 0 || found <= LEAST * (double)s->sum * s->factor / 1000)
        return 0;
    if (place >= WM_REPLAY_RATIOS)
        place = wm_hash_scatter(s->ratio_count) % s->ratio_count;
    else if (wm_vector_reserve(&s->ratios, &s->ratio_room, place + 1, sizeof *s->ratios) < 0)
        return -WM_ENOMEM;
    s->ratio_count++;
    if (place < WM_REPLAY_RATIOS)
        s->ratios[place] = measured / found;
    return 0;
}

/* Take down by how much each member left later than the model says, and what they took. */
static void note_noise(struct wm_replay *r, struct wm_replay_shape *s, const struct wm_replay_instance *instance,
                       int64_t *leaves)
{
    double far_ns = 2 * (double)s->whole * s->factor / 1000;
    bool near = true;

    for (int m = 0; m < s->ranks; m++) {
        struct wm_replay_call *call = &r->calls->calls[r->calls->members[instance->first + (size_t)m]];
        int64_t noise_ns = call->leave_ns - leaves[m];

        noise_ns = noise_ns < INT32_MAX ? noise_ns : INT32_MAX;
        call->noise_ns = (int32_t)(noise_ns > INT32_MIN ? noise_ns : INT32_MIN);
        near = near && fabs((double)noise_ns) < far_ns;
        leaves[m] = call->leave_ns;
    }
    s->drift_calls += near;
    for (int m = 0; near && m < s->ranks; m++)
        if (!wm_replay_call_of(r->calls, instance, m)->unseen)
            s->drifts[m] += wm_replay_call_of(r->calls, instance, m)->noise_ns;
}

/* Compare one call on the arrivals of the trace. */
static int compare_model(struct wm_replay *r, size_t number, int64_t *room, struct wm_error *error)
{
    struct wm_replay_shape *shape = wm_replay_shape_of(r, WM_REPLAY_THEN, number);
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    struct wm_replay_times times = wm_replay_traced(r->calls, number, room);
    int64_t measured_ns = 0, found_ns = 0, wait_ns = 0, *leaves = room + 2 * shape->ranks;
    int rc;

    if ((rc = wm_replay_run(r, number, shape, &times, leaves, error)) < 0)
        return rc;
    wm_replay_divide(r->calls, number, &times, leaves, &found_ns, &wait_ns);
    note_noise(r, shape, instance, leaves);
    wm_replay_divide(r->calls, number, &times, leaves, &measured_ns, &wait_ns);
    shape->measured += (double)measured_ns;
    shape->found += (double)found_ns;
    shape->measured_calls++;
    if (note_ratio(shape, (double)measured_ns, (double)found_ns) < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a replay");
    return 0;
}

/* A row of waits ends with what ends last: of its messages that alone is seen to end. */
static void look_at_row(struct wm_replay_calls *c, size_t first, size_t end)
{
    struct wm_replay_call *last = NULL;

    for (size_t e = first; e < end; e++) {
        struct wm_replay_call *call = &c->calls[c->events[e] / 2];

        if (call->message && !call->dropped && (last == NULL || call->noise_ns < last->noise_ns))
            last = call;
    }
    for (size_t e = first; e < end; e++) {
        struct wm_replay_call *call = &c->calls[c->events[e] / 2];

        if (!call->message)
            continue;
        call->unseen = call != last;
        call->noise_ns = call == last ? call->noise_ns : 0;
    }
}

static void look_at_rows(struct wm_replay_calls *c)
{
    for (int rank = 0; rank < c->trace->rank_count; rank++)
        for (size_t first = c->first[rank], e; first < c->first[rank + 1]; first = e) {
            for (e = first + 1; e < c->first[rank + 1] && c->events[e] % 2 == 1; e++)
                if (!c->calls[c->events[e] / 2].follows)
                    break;
            if (c->events[first] % 2 == 1)
                look_at_row(c, first, e);
        }
}

static void forget_comparison(struct wm_replay_stage *stage)
{
    for (size_t s = 0; s < stage->shape_count; s++) {
        struct wm_replay_shape *shape = stage->shapes[s];

        shape->measured = shape->found = 0;
        shape->measured_calls = shape->ratio_count = shape->drift_calls = 0;
        if (shape->drifts != NULL)
            memset(shape->drifts, 0, (size_t)shape->ranks * sizeof *shape->drifts);
    }
}

static int compare_calls(struct wm_replay *r, int64_t *room, struct wm_error *error)
{
    int rc = 0;

    forget_comparison(&r->then);
    forget_comparison(&r->messages);
    for (size_t i = 0; rc == 0 && i < r->calls->instance_count; i++) {
        if (r->calls->instances[i].dropped)
            continue;
        wm_replay_tell(r);
        if (r->shapes[WM_REPLAY_THEN][i] != WM_REPLAY_NO_SHAPE)
            rc = compare_model(r, i, room, error);
    }
    look_at_rows(r->calls);
    return rc;
}

static int compare_ratios(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The mean of those that are not off by more than two from the median. 0: its calls do not tell. */
static double usual_ratio(struct wm_replay_shape *s)
{
    size_t count = s->ratio_count < WM_REPLAY_RATIOS ? s->ratio_count : WM_REPLAY_RATIOS, usual = 0;
    double median, sum = 0;

    if (count == 0 || 10 * s->ratio_count < s->measured_calls)
        return 0;
    qsort(s->ratios, count, sizeof *s->ratios, compare_ratios);
    median = s->ratios[count / 2];
    for (size_t i = 0; i < count; i++)
        if (s->ratios[i] < 2 * median && s->ratios[i] > median / 2) {
            sum += s->ratios[i];
            usual++;
        }
    return sum / (double)usual;
}

static void correct(struct wm_replay_stage *stage, double *general, bool first)
{
    double measured = 0, found = 0;

    for (size_t s = 0; s < stage->shape_count; s++) {
        double ratio = usual_ratio(stage->shapes[s]);

        measured += ratio * stage->shapes[s]->found;
        found += ratio > 0 ? stage->shapes[s]->found : 0;
    }
    if (first)
        *general = found > 0 ? measured / found : 1;
    for (size_t s = 0; s < stage->shape_count; s++) {
        struct wm_replay_shape *shape = stage->shapes[s];
        double ratio = usual_ratio(shape);

        if (ratio == 0)
            ratio = first ? *general : 1;
        shape->corrected *= ratio;
        shape->factor *= ratio;
    }
}

/* The noise of each goes to the one before; the first's to the last. */
static void link_alike(struct wm_replay *r)
{
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = r->calls->instance_count; i-- > 0;) {
            struct wm_replay_shape *shape = wm_replay_shape_of(r, WM_REPLAY_THEN, i);
            uint32_t *last;

            if (shape == NULL)
                continue;
            last = &shape->last_call;
            r->calls->instances[i].alike = turn == 0 ? (uint32_t)i : *last;
            *last = (uint32_t)i;
        }
}

/* Twice: the factor changes the patterns that it is found by. Then what is left. */
int wm_replay_find_factors(struct wm_replay *r, int64_t *room, struct wm_error *error)
{
    double of_messages;

    for (int turn = 0; turn < 2; turn++) {
        int rc = compare_calls(r, room, error);

        if (rc < 0)
            return rc;
        correct(&r->then, &r->general, turn == 0);
        correct(&r->messages, &of_messages, turn == 0);
    }
    link_alike(r);
    return compare_calls(r, room, error);
}

void wm_replay_add_noise(struct wm_replay *r, size_t number, enum wm_replay_cast cast,
                         const struct wm_replay_times *times, int64_t *leaves)
{
    size_t from = cast == WM_REPLAY_THEN ? r->calls->instances[number].alike : number;
    const struct wm_replay_shape *shape = wm_replay_shape_of(r, WM_REPLAY_THEN, from);

    for (int m = 0; shape != NULL && m < shape->ranks; m++) {
        int64_t least = times->waits != NULL ? times->waits[m] : times->arrivals[m];
        double drift = shape->drift_calls > 0 ? shape->drifts[m] / (double)shape->drift_calls : 0;

        leaves[m] += wm_replay_call_of(r->calls, &r->calls->instances[from], m)->noise_ns - (int64_t)drift;
        leaves[m] = leaves[m] > least ? leaves[m] : least;
    }
}

void wm_replay_fill_factors(struct wm_replay *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        double measured = 0, model = 0;

        bool messages = r->rows[i].operation == WM_MESSAGES;
        const struct wm_replay_stage *stage = messages ? &r->messages : &r->then;

        for (size_t s = 0; s < stage->shape_count; s++) {
            const struct wm_replay_shape *shape = stage->shapes[s];

            if (shape->measured <= 0 ||
                (!messages && (shape->operation != r->rows[i].operation || shape->rule_line != r->rows[i].line)))
                continue;
            measured += shape->measured;
            model += shape->measured / shape->corrected;
        }
        r->rows[i].factor = model > 0 ? measured / model : 0;
    }
}

/* The same plans have the factor that they had; others, that of all. */
void wm_replay_set_factors(struct wm_replay *r, struct wm_replay_stage *stage)
{
    for (size_t i = 0; i < stage->shape_count; i++) {
        struct wm_replay_shape *shape = stage->shapes[i];
        double factor = r->general;

        for (size_t s = 0; s < r->then.shape_count; s++)
            if (r->then.shapes[s]->plans_hash == shape->plans_hash && r->then.shapes[s]->found > 0 &&
                r->then.keys[s].bytes == stage->keys[i].bytes && r->then.shapes[s]->operation == shape->operation)
                factor = r->then.shapes[s]->corrected;
        shape->factor *= factor;
    }
}
