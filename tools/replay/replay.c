/* The run of a trace once more: under the map that ran, then under another one. */
#include "tools/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/vector.h"
#include "tools/replay/carry.h"
#include "tools/replay/factors.h"
#include "tools/run/maps.h"

/* One carrying out. */
struct pass {
    struct wm_replay *replay;
    enum wm_replay_cast cast;
    bool counts;   /* into the rows */
    int64_t *room; /* for the times of an instance in the trace */
};

/* Behind what it depends on, each member takes what it took. */
static void keep(const struct pass *p, size_t number, const struct wm_replay_times *times, int64_t *leaves)
{
    const struct wm_replay_calls *calls = p->replay->calls;
    const struct wm_replay_instance *instance = &calls->instances[number];
    const struct wm_replay_call *first = wm_replay_call_of(calls, instance, 0);
    enum wm_operation operation = (enum wm_operation)first->operation;
    struct wm_replay_times then = wm_replay_traced(calls, number, p->room);
    int ranks = wm_replay_size(calls, instance);
    struct wm_replay_dependency of_then = wm_replay_depends(operation, first->root, ranks, &then),
                                of_now = wm_replay_depends(operation, first->root, ranks, times);

    for (int m = 0; m < ranks; m++) {
        int64_t took = wm_replay_call_of(calls, instance, m)->leave_ns - wm_replay_dependency_of(&of_then, m);
        int64_t least = times->waits != NULL ? times->waits[m] : times->arrivals[m];

        leaves[m] = wm_replay_dependency_of(&of_now, m) + took;
        leaves[m] = leaves[m] > least ? leaves[m] : least;
    }
}

int wm_replay_run(const struct wm_replay *r, size_t number, struct wm_replay_shape *shape,
                  const struct wm_replay_times *times, int64_t *leaves, struct wm_error *error)
{
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    int rc = wm_replay_shape_run(shape, times, leaves, error);

    if (instance->message && wm_replay_call_of(r->calls, instance, 0)->waited && leaves[0] < times->arrivals[1])
        leaves[0] = times->arrivals[1];
    return rc;
}

void wm_replay_tell(struct wm_replay *r)
{
    double calls = (double)(r->calls->kept + r->calls->messages);

    wm_share_line_show(&r->calls->line, (1 + (double)++r->taken / calls) / WM_REPLAY_PASSES);
}

static int take(void *context, size_t number, const struct wm_replay_times *times, int64_t *leaves,
                struct wm_error *error)
{
    struct pass *p = context;
    struct wm_replay *r = p->replay;
    struct wm_replay_shape *shape = wm_replay_shape_of(r, p->cast, number);
    struct wm_replay_row *row = &r->rows[r->row_of[number]];
    int64_t service_ns = 0, wait_ns = 0;
    int rc = 0;

    wm_replay_tell(r);
    if (shape != NULL)
        rc = wm_replay_run(r, number, shape, times, leaves, error);
    else
        keep(p, number, times, leaves);
    if (rc < 0 || !p->counts)
        return rc;
    if (shape != NULL)
        wm_replay_add_noise(r, number, p->cast, times, leaves);
    wm_replay_divide(r->calls, number, times, leaves, &service_ns, &wait_ns);
    if (p->cast == WM_REPLAY_NOW) {
        row->service_ns[WM_REPLAY_NOW] += service_ns;
        row->wait_ns[WM_REPLAY_NOW] += wait_ns;
    } else {
        row->again_ns += service_ns;
        row->waited_ns += wait_ns;
    }
    if (shape != NULL)
        shape->service_ns += service_ns;
    return 0;
}

/* The work behind a post has that post in it, as it was under the map that ran. */
static int64_t post(void *context, size_t number, int member)
{
    const struct pass *p = context;
    const struct wm_replay_shape *then = wm_replay_shape_of(p->replay, WM_REPLAY_THEN, number);
    const struct wm_replay_shape *now = wm_replay_shape_of(p->replay, p->cast, number);

    if (then == NULL || now == NULL)
        return 0;
    return (int64_t)(((double)now->posts[member] * now->factor - (double)then->posts[member] * then->factor) / 1000);
}

static int carry(struct wm_replay *r, enum wm_replay_cast cast, bool counts, int64_t *run_ns, struct wm_error *error)
{
    struct pass pass = {.replay = r, .cast = cast, .counts = counts};
    struct wm_replay_carrier carrier = {.context = &pass, .take = take, .post = post};
    int rc;

    pass.room = calloc(2 * (size_t)r->calls->trace->job_ranks + 1, sizeof *pass.room);
    if (pass.room == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a replay");
    rc = wm_replay_carry(r->calls, &carrier, run_ns, error);
    free(pass.room);
    return rc;
}

/* Is it a call that plans served, and of which the trace says what they were made for? Counts of others are not there,
 * and what ran by the library though a rule fits has data that no plan can name. */
static int find_then(struct wm_replay *r, size_t number, struct wm_error *error)
{
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    const struct wm_replay_call *call = wm_replay_call_of(r->calls, instance, 0);
    int *shape = &r->shapes[WM_REPLAY_THEN][number], rc;

    *shape = WM_REPLAY_NO_SHAPE;
    if (instance->message)
        return wm_replay_stage_find(&r->messages, instance, shape, error);
    if (instance->dropped || !wm_operation_bytes_shared((enum wm_operation)call->operation))
        return 0;
    rc = wm_replay_stage_find(&r->then, instance, shape, error);
    if (rc < 0 || *shape == WM_REPLAY_NO_SHAPE)
        return rc;
    if (r->then.shapes[*shape]->way == WM_REPLAY_KEPT) {
        *shape = WM_REPLAY_NO_SHAPE;
    } else if (call->node == 0) {
        *shape = WM_REPLAY_NO_SHAPE;
        r->unserved[number] = true;
        r->unserved_calls++;
    }
    return 0;
}

static int find_library(struct wm_replay *r, size_t number, struct wm_error *error)
{
    int *shape = &r->shapes[WM_REPLAY_NOW][number], rc;

    rc = wm_replay_stage_find(&r->library, &r->calls->instances[number], shape, error);
    if (rc < 0)
        return rc;
    if (r->library.shapes[*shape]->way == WM_REPLAY_KEPT) {
        *shape = WM_REPLAY_NO_SHAPE;
    } else {
        r->modelled[number] = true;
        r->modelled_calls++;
    }
    return 0;
}

static int find_now(struct wm_replay *r, size_t number, struct wm_error *error)
{
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    const struct wm_replay_call *call = wm_replay_call_of(r->calls, instance, 0);
    int *shape = &r->shapes[WM_REPLAY_NOW][number], rc;

    *shape = instance->message ? r->shapes[WM_REPLAY_THEN][number] : WM_REPLAY_NO_SHAPE;
    if (instance->message || instance->dropped || r->unserved[number] ||
        !wm_operation_bytes_shared((enum wm_operation)call->operation))
        return 0;
    rc = wm_replay_stage_find(&r->now, instance, shape, error);
    if (rc < 0 || r->now.shapes[*shape]->way != WM_REPLAY_KEPT)
        return rc;
    *shape = WM_REPLAY_NO_SHAPE;
    return r->shapes[WM_REPLAY_THEN][number] != WM_REPLAY_NO_SHAPE ? find_library(r, number, error) : 0;
}

static int find_row(struct wm_replay *r, size_t number, struct wm_error *error)
{
    const struct wm_replay_call *call = wm_replay_call_of(r->calls, &r->calls->instances[number], 0);
    const struct wm_replay_shape *shape = wm_replay_shape_of(r, WM_REPLAY_THEN, number);
    enum wm_operation operation = call->message ? WM_MESSAGES : (enum wm_operation)call->operation;
    int line = shape != NULL && !call->message ? shape->rule_line : 0;
    size_t i = 0;

    while (i < r->row_count && (r->rows[i].operation != operation || r->rows[i].line != line))
        i++;
    r->row_of[number] = (uint32_t)i;
    if (i < r->row_count)
        return 0;
    if (wm_vector_reserve(&r->rows, &r->row_room, r->row_count + 1, sizeof *r->rows) < 0)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a replay");
    r->rows[r->row_count++] = (struct wm_replay_row){.operation = operation, .line = line, .now = -2};
    return 0;
}

/* What the trace has, by row. */
static void add_measured(struct wm_replay *r, size_t number, int64_t *room)
{
    const struct wm_replay_instance *instance = &r->calls->instances[number];
    struct wm_replay_times times = wm_replay_traced(r->calls, number, room);
    struct wm_replay_row *row = &r->rows[r->row_of[number]];
    int ranks = wm_replay_size(r->calls, instance);
    int64_t service_ns = 0, *leaves = room + 2 * ranks;

    for (int m = 0; m < ranks; m++) {
        const struct wm_replay_call *call = wm_replay_call_of(r->calls, instance, m);

        leaves[m] = call->leave_ns;
        r->inside_ns += leaves[m] - wm_replay_blocked_ns(call);
    }
    wm_replay_divide(r->calls, number, &times, leaves, &service_ns, &row->wait_ns[WM_REPLAY_THEN]);
    row->service_ns[WM_REPLAY_THEN] += service_ns;
    row->calls++;
    r->service_ns += service_ns;
    if (wm_replay_shape_of(r, WM_REPLAY_THEN, number) == NULL)
        r->kept_ns += service_ns;
}

static int for_each(struct wm_replay *r, int (*each)(struct wm_replay *, size_t, struct wm_error *),
                    struct wm_error *error)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < r->calls->instance_count; i++)
        if (!r->calls->instances[i].dropped)
            rc = each(r, i, error);
    return rc;
}

static int compare_worst(const void *a, const void *b)
{
    const struct wm_replay_worst *x = a, *y = b;
    int64_t p = llabs(x->again_ns - x->service_ns), q = llabs(y->again_ns - y->service_ns);

    return (p < q) - (p > q);
}

static size_t list_worst(const struct wm_replay_stage *stage, bool messages, struct wm_replay_worst *all)
{
    size_t count = 0;

    for (size_t s = 0; s < stage->shape_count; s++) {
        const struct wm_replay_shape *shape = stage->shapes[s];

        if (shape->measured_calls > 0)
            all[count++] = (struct wm_replay_worst){.operation = messages ? WM_MESSAGES : shape->operation,
                                                    .bytes = stage->keys[s].bytes,
                                                    .ranks = shape->ranks,
                                                    .line = messages ? 0 : shape->rule_line,
                                                    .calls = shape->measured_calls,
                                                    .service_ns = (int64_t)shape->measured,
                                                    .again_ns = shape->service_ns};
    }
    return count;
}

static int find_worst(struct wm_replay *r, struct wm_error *error)
{
    struct wm_replay_worst *all = calloc(r->then.shape_count + r->messages.shape_count + 1, sizeof *all);
    size_t count;

    if (all == NULL)
        return wm_error_set(error, -WM_ENOMEM, "no memory for a replay");
    count = list_worst(&r->then, false, all);
    count += list_worst(&r->messages, true, all + count);
    qsort(all, count, sizeof *all, compare_worst);
    for (; r->worst_count < WM_REPLAY_WORST_MAX && (size_t)r->worst_count < count; r->worst_count++)
        r->worst[r->worst_count] = all[r->worst_count];
    free(all);
    return 0;
}

static int replay_then(struct wm_replay *r, int64_t *room, struct wm_error *error)
{
    int rc;

    if ((rc = for_each(r, find_then, error)) < 0 || (rc = for_each(r, find_row, error)) < 0)
        return rc;
    wm_replay_stage_share(&r->then);
    wm_replay_stage_share(&r->messages);
    if ((rc = carry(r, WM_REPLAY_THEN, false, &r->raw_ns, error)) < 0 ||
        (rc = wm_replay_find_factors(r, room, error)) < 0)
        return rc;
    for (size_t i = 0; i < r->calls->instance_count; i++)
        if (!r->calls->instances[i].dropped)
            add_measured(r, i, room);
    if ((rc = carry(r, WM_REPLAY_THEN, true, &r->again_ns, error)) < 0)
        return rc;
    wm_replay_fill_factors(r);
    return find_worst(r, error);
}

static void measure_run(struct wm_replay *r)
{
    const struct wm_trace *trace = r->calls->trace;
    int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

    for (int i = 0; i < trace->rank_count; i++) {
        const struct wm_trace_rank *rank = &trace->ranks[i];

        start_ns = rank->start_ns < start_ns ? rank->start_ns : start_ns;
        end_ns = rank->end_ns > end_ns ? rank->end_ns : end_ns;
        r->ranks_ns += rank->end_ns - rank->start_ns;
    }
    r->run_ns = end_ns - start_ns;
}

/* The stage of messages, under a map of its own. */
static int open_messages(struct wm_replay *r, struct wm_error *error)
{
    struct wm_site_map map = {
        .file = strdup("messages"), .text = strdup(WM_REPLAY_MESSAGE), .communicator = "MPI_COMM_WORLD"};
    int rc = -WM_ENOMEM;

    if (map.file != NULL && map.text != NULL) {
        map.text_bytes = strlen(map.text);
        rc = wm_maps_open(&map.map, map.file, map.text, map.text_bytes, error);
    }
    if (rc == 0)
        rc = wm_replay_stage_init(&r->messages, r->calls, r->profile, &map, error);
    wm_site_map_close(&map);
    return rc;
}

int wm_replay_init(struct wm_replay *r, struct wm_replay_calls *calls, const struct wm_profile *profile,
                   struct wm_site_map *then, struct wm_site_map *now, struct wm_error *error)
{
    size_t count = calls->instance_count + 1, job = (size_t)calls->trace->job_ranks + 1;
    int64_t *room = calloc(3 * job, sizeof *room);
    int rc, rc_then, rc_now;

    *r = (struct wm_replay){.calls = calls, .profile = profile, .general = 1};
    rc_then = wm_replay_stage_init(&r->then, calls, profile, then, error);
    rc_now = wm_replay_stage_init(&r->now, calls, profile, now, error);
    for (int i = 0; i < WM_REPLAY_CASTS; i++)
        r->shapes[i] = calloc(count, sizeof *r->shapes[i]);
    r->modelled = calloc(count, sizeof *r->modelled);
    r->unserved = calloc(count, sizeof *r->unserved);
    r->row_of = calloc(count, sizeof *r->row_of);
    for (size_t i = 0; r->shapes[WM_REPLAY_THEN] != NULL && i < count; i++)
        r->shapes[WM_REPLAY_THEN][i] = WM_REPLAY_NO_SHAPE;
    if ((rc = open_messages(r, error)) < 0)
        ;
    else if (rc_then < 0 || rc_now < 0 || room == NULL || r->shapes[WM_REPLAY_THEN] == NULL ||
             r->shapes[WM_REPLAY_NOW] == NULL || r->modelled == NULL || r->unserved == NULL || r->row_of == NULL) {
        rc = wm_error_set(error, -WM_ENOMEM, "no memory for a replay of %zu calls", count);
    } else {
        measure_run(r);
        rc = replay_then(r, room, error);
    }
    free(room);
    return rc;
}

double wm_replay_identity(const struct wm_replay *r)
{
    return r->run_ns > 0 ? (double)(r->again_ns - r->run_ns) / (double)r->run_ns : 0;
}

enum wm_replay_refusal wm_replay_judge(const struct wm_replay *r)
{
    static const double most_off = 0.05, most_apart = 0.1;

    if (!r->calls->has_messages)
        return WM_REPLAY_UNTRACED;
    if ((double)r->calls->apart_ns > most_apart * (double)(r->ranks_ns - r->inside_ns))
        return WM_REPLAY_APART;
    return fabs(wm_replay_identity(r)) > most_off ? WM_REPLAY_OFF : WM_REPLAY_ANSWERS;
}

static void judge(struct wm_replay *r)
{
    double error_ns = fabs(wm_replay_identity(r)) * (double)r->now_ns, ranks = (double)r->calls->trace->rank_count;
    bool known = true;

    for (int k = 0; k < 1 + r->has_library; k++) {
        const struct wm_replay_stage *stage = k == 0 ? &r->now : &r->library;

        for (size_t i = 0; i < stage->shape_count; i++) {
            const struct wm_replay_shape *shape = stage->shapes[i];

            if (shape->service_ns == 0)
                continue;
            known = known && shape->prediction.error_ppm > 0;
            error_ns += (double)shape->service_ns / ranks * (double)shape->prediction.error_ppm / 1e6;
            if (shape->prediction.stamp > r->stamp)
                r->stamp = shape->prediction.stamp;
            r->averaged += shape->averaged;
        }
    }
    r->error_ns = known ? (int64_t)error_ns : -1;
}

static void note_lines(struct wm_replay *r)
{
    for (size_t i = 0; i < r->calls->instance_count; i++) {
        const struct wm_replay_shape *shape;
        struct wm_replay_row *row;
        int line;

        if (r->calls->instances[i].dropped)
            continue;
        row = &r->rows[r->row_of[i]];
        shape = wm_replay_shape_of(r, WM_REPLAY_NOW, i);
        line = shape != NULL && !r->modelled[i] && !r->calls->instances[i].message ? shape->rule_line : 0;
        row->now = row->now == -2 || row->now == line ? line : -1;
    }
}

int wm_replay_other(struct wm_replay *r, struct wm_error *error)
{
    struct wm_site_map map = {0};
    int rc;

    if (wm_site_map_open(&map, WM_REPLAY_LIBRARY, error) < 0 ||
        wm_replay_stage_init(&r->library, r->calls, r->profile, &map, error) < 0)
        return error->code;
    r->has_library = true;
    if ((rc = for_each(r, find_now, error)) < 0)
        return rc;
    for (int k = 0; k < 2; k++) {
        wm_replay_set_factors(r, k == 0 ? &r->now : &r->library);
        wm_replay_stage_share(k == 0 ? &r->now : &r->library);
    }
    if ((rc = carry(r, WM_REPLAY_NOW, true, &r->now_ns, error)) < 0)
        return rc;
    r->now_ns += r->run_ns - r->again_ns; /* what is off stays off */
    note_lines(r);
    judge(r);
    return 0;
}

void wm_replay_release(struct wm_replay *r)
{
    if (r->then.calls != NULL)
        wm_replay_stage_release(&r->then);
    if (r->now.calls != NULL)
        wm_replay_stage_release(&r->now);
    if (r->messages.calls != NULL)
        wm_replay_stage_release(&r->messages);
    if (r->has_library)
        wm_replay_stage_release(&r->library);
    for (int i = 0; i < WM_REPLAY_CASTS; i++)
        free(r->shapes[i]);
    free(r->modelled);
    free(r->unserved);
    free(r->row_of);
    free(r->rows);
    *r = (struct wm_replay){0};
}
