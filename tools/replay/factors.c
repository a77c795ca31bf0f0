/* Factors: what calls took in the trace over what the model says. */
#include "tools/replay/factors.h"

/* The least part of what a posted call takes that its ranks wait for, if that tells a factor. */
static const double LEAST = 0.1;

static struct wm_replay_stage *stage_of(struct wm_replay *r, enum wm_replay_cast cast, size_t instance)
{
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

    for (int m = 0; m < ranks; m++) {
        int64_t there = wm_replay_dependency((enum wm_operation)first->operation, first->root, ranks, m, times);

        there = there < leaves[m] ? there : leaves[m];
        *service_ns += leaves[m] - there;
        *wait_ns += there - blocked[m];
    }
}

/* By how much the model is off where the trace has it: what members take behind the last arrival that they depend on,
 * summed over calls. */
static int compare_model(struct wm_replay *r, size_t number, int64_t *room, struct wm_error *error)
{
    struct wm_replay_shape *shape = wm_replay_shape_of(r, WM_REPLAY_THEN, number);
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    struct wm_replay_times times = wm_replay_traced(r->calls, number, room);
    int64_t measured_ns = 0, found_ns = 0, wait_ns = 0, *leaves = room + 2 * wm_replay_size(r->calls, instance);
    int rc;

    if ((rc = wm_replay_shape_run(shape, &times, leaves, error)) < 0)
        return rc;
    wm_replay_divide(r->calls, number, &times, leaves, &found_ns, &wait_ns);
    for (int m = 0; m < wm_replay_size(r->calls, instance); m++)
        leaves[m] = wm_replay_call_of(r->calls, instance, m)->leave_ns;
    wm_replay_divide(r->calls, number, &times, leaves, &measured_ns, &wait_ns);
    shape->measured += (double)measured_ns;
    shape->found += (double)found_ns;
    shape->measured_calls++;
    return 0;
}

/* Is enough of its calls not hidden behind the ranks' work? */
static bool tells_factor(const struct wm_replay_shape *s)
{
    double whole_ns = (double)s->whole * s->factor / 1000 * (double)s->ranks * (double)s->measured_calls;

    return s->measured > 0 && s->found > (s->posts != NULL ? LEAST * whole_ns : 0);
}

static int compare_calls(struct wm_replay *r, int64_t *room, struct wm_error *error)
{
    int rc = 0;

    for (size_t s = 0; s < r->then.shape_count; s++)
        r->then.shapes[s]->measured = r->then.shapes[s]->found = 0, r->then.shapes[s]->measured_calls = 0;
    for (size_t i = 0; rc == 0 && i < r->calls->instance_count; i++)
        if (r->shapes[WM_REPLAY_THEN][i] != WM_REPLAY_NO_SHAPE)
            rc = compare_model(r, i, room, error);
    return rc;
}

/* Twice: the factor changes the patterns that it is found by. */
int wm_replay_find_factors(struct wm_replay *r, int64_t *room, struct wm_error *error)
{
    double measured = 0, found = 0;

    for (int turn = 0; turn < 2; turn++) {
        int rc = compare_calls(r, room, error);

        if (rc < 0)
            return rc;
        for (size_t s = 0; turn == 0 && s < r->then.shape_count; s++)
            if (tells_factor(r->then.shapes[s])) {
                measured += r->then.shapes[s]->measured;
                found += r->then.shapes[s]->found;
            }
        if (turn == 0)
            r->general = found > 0 ? measured / found : 1;
        for (size_t s = 0; s < r->then.shape_count; s++) {
            struct wm_replay_shape *shape = r->then.shapes[s];
            double factor = turn == 0 ? r->general : 1;

            if (tells_factor(shape))
                factor = shape->measured / shape->found;
            shape->corrected *= factor;
            shape->factor *= factor;
        }
    }
    return 0;
}

void wm_replay_fill_factors(struct wm_replay *r)
{
    for (size_t i = 0; i < r->row_count; i++) {
        double measured = 0, model = 0;

        for (size_t s = 0; s < r->then.shape_count; s++) {
            const struct wm_replay_shape *shape = r->then.shapes[s];

            if (shape->operation != r->rows[i].operation || shape->rule_line != r->rows[i].line || shape->measured <= 0)
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
