/* The short road: steps of a single round, and those through trees that cannot fail. */
#include "core/shared/short.h"

#include <string.h>
#include "core/node/node.h"
#include "core/shared/lane.h"
#include "core/shared/leg.h"
#include "core/shared/scratch.h"

static inline char *place(const struct wm_shared_short *road, struct wm_ref ref, uintptr_t send, uintptr_t receive)
{
    return (char *)((ref.buffer == WM_BUFFER_SEND ? send : receive) + ref.offset * road->unit_bytes);
}

/* The next round, once this member's slot is free. */
static inline uint64_t begin(struct wm_shared_lane *lane, size_t bytes)
{
    uint64_t round = ++lane->round;

    for (unsigned turn = 0; !wm_shared_may_post(lane, round, bytes); turn++)
        wm_node_wait(lane->crowded, turn);
    return round;
}

static inline void await(struct wm_shared_lane *lane, uint64_t round, int member)
{
    for (unsigned turn = 0; !wm_shared_posted(lane, round, member); turn++)
        wm_node_wait(lane->crowded, turn);
}

/* In a crowded node what is awaited was mostly posted in earlier turns: its lines can come all at once. */
static inline void expect(const struct wm_shared_lane *lane, uint64_t round, int members)
{
    for (int m = 0; lane->crowded && m < members; m++)
        __builtin_prefetch(wm_shared_line(lane, round, m));
}

/* The `count` units at `skip` bytes in the payloads of the first `members`, in their order; this one's are at `own`. */
static inline void combine(const struct wm_shared_short *road, uint64_t round, int members, size_t skip,
                           const char *own, char *result, size_t count)
{
    struct wm_shared_lane *lane = road->lane;
    const char *first = NULL;

    expect(lane, round, members);
    for (int m = 0; m < members; m++) {
        const char *next = own;

        if (m != lane->self) {
            await(lane, round, m);
            next = wm_shared_payload(lane, round, m, road->payload) + skip;
        }
        if (m == 0)
            first = next;
        else
            road->kernel(m > 1 ? result : first, next, result, count);
    }
}

static void run_barrier(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    uint64_t round = begin(lane, 0);

    (void)send, (void)receive;
    wm_shared_post(lane, round);
    for (int m = 0; m < lane->size; m++)
        if (m != lane->self)
            await(lane, round, m);
    wm_shared_pass(lane, round);
}

static void run_allreduce(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    uint64_t round = begin(lane, road->bytes);
    char *slot = wm_shared_payload(lane, round, lane->self, road->bytes);
    const char *own = place(road, road->step->from[0], send, receive);

    wm_shared_move(slot, own, road->bytes);
    wm_shared_post(lane, round);
    combine(road, round, lane->size, 0, road->in_place && lane->size > 2 ? slot : own,
            place(road, road->step->to[0], send, receive), road->units);
    wm_shared_pass(lane, round);
}

static void run_reduce(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    bool root = lane->self == road->step->root, apart = road->in_place && lane->size > 2;
    uint64_t round = !root || apart ? begin(lane, road->bytes) : ++lane->round;
    char *slot = wm_shared_payload(lane, round, lane->self, road->bytes);
    const char *own = place(road, road->step->from[0], send, receive);

    if (!root || apart)
        wm_shared_move(slot, own, road->bytes);
    if (root)
        combine(road, round, lane->size, 0, apart ? slot : own, place(road, road->step->to[0], send, receive),
                road->units);
    else
        wm_shared_post(lane, round);
    wm_shared_pass(lane, round);
}

static void run_bcast(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    const struct wm_shared *s = road->step;

    if (lane->self == s->root) {
        uint64_t round = begin(lane, road->bytes);

        wm_shared_move(wm_shared_payload(lane, round, lane->self, road->bytes), place(road, s->from[0], send, receive),
                       road->bytes);
        wm_shared_post(lane, round);
        wm_shared_pass(lane, round);
    } else {
        uint64_t round = ++lane->round;

        await(lane, round, s->root);
        wm_shared_move(place(road, s->to[0], send, receive), wm_shared_payload(lane, round, s->root, road->bytes),
                       road->bytes);
        wm_shared_pass(lane, round);
    }
}

static void run_gather(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    const struct wm_shared *s = road->step;
    bool all = s->kind == WM_SHARED_ALLGATHER, root = lane->self == s->root;
    uint64_t round = all || !root ? begin(lane, road->bytes) : ++lane->round;

    if (all || !root) {
        wm_shared_move(wm_shared_payload(lane, round, lane->self, road->bytes), place(road, s->from[0], send, receive),
                       s->counts[lane->self] * road->unit_bytes);
        wm_shared_post(lane, round);
    }
    if (all && wm_shared_moves_own(s))
        wm_shared_move(place(road, s->to[lane->self], send, receive), place(road, s->from[0], send, receive),
                       s->counts[lane->self] * road->unit_bytes);
    if (root)
        expect(lane, round, lane->size);
    for (int turn = 1; (all || root) && turn < lane->size; turn++) {
        int m = (lane->self + turn) % lane->size;

        await(lane, round, m);
        wm_shared_move(place(road, s->to[m], send, receive), wm_shared_payload(lane, round, m, road->bytes),
                       s->counts[m] * road->unit_bytes);
    }
    wm_shared_pass(lane, round);
}

/* Parts for all members side by side. */
static void run_alltoall(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    const struct wm_shared *s = road->step;
    size_t part = road->bytes, all = road->payload;
    uint64_t round = begin(lane, all);
    char *slot = wm_shared_payload(lane, round, lane->self, all);

    for (int m = 0; m < lane->size; m++)
        if (m != lane->self)
            wm_shared_move(slot + (size_t)m * part, place(road, s->from[m], send, receive), part);
    wm_shared_post(lane, round);
    for (int turn = 1; turn < lane->size; turn++) {
        int m = (lane->self + turn) % lane->size;

        await(lane, round, m);
        wm_shared_move(place(road, s->to[m], send, receive),
                       wm_shared_payload(lane, round, m, all) + (size_t)lane->self * part, part);
    }
    wm_shared_pass(lane, round);
}

static void run_scatter(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    const struct wm_shared *s = road->step;
    size_t part = road->bytes, all = road->payload;
    bool root = lane->self == s->root;
    uint64_t round = root ? begin(lane, all) : ++lane->round;
    char *slot = wm_shared_payload(lane, round, s->root, all);

    for (int m = 0; root && m < lane->size; m++)
        if (m != lane->self)
            wm_shared_move(slot + (size_t)m * part, place(road, s->from[m], send, receive),
                           s->counts[m] * road->unit_bytes);
    if (root) {
        wm_shared_post(lane, round);
    } else {
        await(lane, round, s->root);
        wm_shared_move(place(road, s->to[0], send, receive), slot + (size_t)lane->self * part,
                       s->counts[lane->self] * road->unit_bytes);
    }
    wm_shared_pass(lane, round);
}

/* Every member combines its own part. */
static void run_reduce_scatter(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    const struct wm_shared *s = road->step;
    size_t part = road->bytes, all = road->payload, own = (size_t)lane->self * part;
    uint64_t round = begin(lane, all);
    char *slot = wm_shared_payload(lane, round, lane->self, all), *result = place(road, s->to[0], send, receive);
    bool apart = road->in_place && lane->size > 2;

    for (int m = 0; m < lane->size; m++)
        if (m != lane->self || apart)
            wm_shared_move(slot + (size_t)m * part, place(road, s->from[m], send, receive),
                           s->counts[m] * road->unit_bytes);
    wm_shared_post(lane, round);
    combine(road, round, lane->size, own, apart ? slot + own : place(road, s->from[lane->self], send, receive), result,
            s->counts[lane->self]);
    wm_shared_pass(lane, round);
}

/* Nobody reads what the last member has; it may need it apart. */
static void run_scan(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    int self = lane->self, before = self + (road->step->kind == WM_SHARED_SCAN);
    bool last = self == lane->size - 1, apart = road->in_place && before > self && self > 1;
    uint64_t round = !last || apart ? begin(lane, road->bytes) : ++lane->round;
    char *slot = wm_shared_payload(lane, round, self, road->bytes), *result = NULL;
    const char *own = place(road, road->step->from[0], send, receive);

    if (before > 0)
        result = place(road, road->step->to[0], send, receive);
    if (!last || apart)
        wm_shared_move(slot, own, road->bytes);
    if (!last)
        wm_shared_post(lane, round);
    if (before > 1) {
        combine(road, round, before, 0, apart ? slot : own, result, road->units);
    } else if (before == 1 && self == 1) {
        await(lane, round, 0);
        wm_shared_move(result, wm_shared_payload(lane, round, 0, road->bytes), road->bytes);
    } else if (before == 1 && !road->in_place) {
        wm_shared_move(result, own, road->bytes);
    }
    wm_shared_pass(lane, round);
}

/* The sum goes from member to member; each adds its own to what the one before it posted (core/shared/chain.h). */
static void run_chain(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = road->lane;
    int self = lane->self;
    bool last = self == lane->size - 1, inclusive = road->step->kind == WM_SHARED_SCAN;
    uint64_t round = self == 0 ? begin(lane, road->bytes) : ++lane->round;
    char *slot = wm_shared_payload(lane, round, self, road->bytes);
    const char *own = place(road, road->step->from[0], send, receive), *earlier = NULL;
    char *result = inclusive || self > 0 ? place(road, road->step->to[0], send, receive) : NULL;

    if (self == 0) {
        wm_shared_move(slot, own, road->bytes);
    } else {
        await(lane, round, self - 1);
        earlier = wm_shared_payload(lane, round, self - 1, road->bytes);
        if (inclusive || !last)
            road->kernel(earlier, own, last ? result : slot, road->units);
    }
    if (!last)
        wm_shared_post(lane, round);
    if (!inclusive && self > 0)
        wm_shared_move(result, earlier, road->bytes);
    else if (inclusive && !last)
        wm_shared_move(result, slot, road->bytes);
    wm_shared_pass(lane, round);
}

static void run_tree(const struct wm_shared_short *road, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_data data = road->data;
    struct wm_shared_task task;

    data.send = send;
    data.receive = receive;
    wm_shared_begin(&task, road->lane, road->step, &data, &road->transport);
    for (unsigned turn = 0; !wm_shared_advance(&task); turn++)
        wm_node_wait(road->lane->crowded, turn);
}

static void (*const roads[WM_SHARED_KIND_COUNT])(const struct wm_shared_short *, uintptr_t, uintptr_t) = {
    [WM_SHARED_BCAST] = run_bcast,      [WM_SHARED_GATHER] = run_gather,
    [WM_SHARED_SCATTER] = run_scatter,  [WM_SHARED_REDUCE_SCATTER] = run_reduce_scatter,
    [WM_SHARED_ALLGATHER] = run_gather, [WM_SHARED_ALLTOALL] = run_alltoall,
    [WM_SHARED_REDUCE] = run_reduce,    [WM_SHARED_ALLREDUCE] = run_allreduce,
    [WM_SHARED_SCAN] = run_scan,        [WM_SHARED_EXSCAN] = run_scan,
};

static bool in_users_buffers(const struct wm_shared *s)
{
    for (int m = 0; m < s->size; m++)
        if (s->from[m].buffer >= WM_BUFFER_TEMPORARY || s->to[m].buffer >= WM_BUFFER_TEMPORARY)
            return false;
    return true;
}

/* Members of a reduce may need memory, and the short road tells of no errors. */
static void make_tree_road(struct wm_shared_short *road, const struct wm_shared_data *data,
                           const struct wm_transport *transport)
{
    const struct wm_shared *step = road->step;
    bool barrier = data->unit_bytes == 0, plain = data->geometry->packed && in_users_buffers(step);

    road->data = *data;
    road->transport = *transport;
    if ((step->kind == WM_SHARED_ALLREDUCE && (barrier || (plain && data->kernel != NULL))) ||
        (step->kind == WM_SHARED_BCAST && !barrier && plain))
        road->run = run_tree;
}

bool wm_shared_short_make(struct wm_shared_short *road, struct wm_shared_lane *lane, const struct wm_shared *step,
                          const struct wm_shared_data *data, const struct wm_transport *transport)
{
    struct wm_shared_task task;
    struct wm_shared_lane as_if = *lane;
    bool combines = step->kind >= WM_SHARED_REDUCE, barrier = data->unit_bytes == 0;
    bool splits =
        step->kind == WM_SHARED_SCATTER || step->kind == WM_SHARED_ALLTOALL || step->kind == WM_SHARED_REDUCE_SCATTER;

    *road =
        (struct wm_shared_short){.step = step, .lane = lane, .kernel = data->kernel, .unit_bytes = data->unit_bytes};
    if (wm_shared_takes_tree(lane, step, data->unit_bytes, transport->chunk_bytes)) {
        make_tree_road(road, data, transport);
        return road->run != NULL;
    }
    if (barrier && step->kind == WM_SHARED_ALLREDUCE) {
        road->run = run_barrier;
        return true;
    }
    if (barrier || !data->geometry->packed || (combines && data->kernel == NULL) || !in_users_buffers(step))
        return false;
    wm_shared_begin(&task, &as_if, step, data, transport);
    wm_shared_scratch_release(&task);
    if (task.total != 1)
        return false;
    road->units = wm_shared_largest_count(step);
    road->bytes = road->units * data->unit_bytes;
    road->payload = road->bytes * (splits ? (size_t)step->size : 1);
    road->in_place = combines && wm_shared_in_place(step);
    road->run = task.legs[0].chain ? run_chain : roads[step->kind];
    return true;
}
