/* Short steps: a round of moves, of a reduction or of a chain, in half the time of a task; and all else as a task. */
#include "core/shared/short.h"

#include <string.h>
#include "core/node/node.h"
#include "core/shared/data.h"
#include "core/shared/lane.h"
#include "core/shared/scratch.h"

static inline char *place(const struct wm_shared_short *p, struct wm_ref ref, uintptr_t send, uintptr_t receive)
{
    return (char *)((ref.buffer == WM_BUFFER_SEND ? send : receive) + ref.offset * p->unit_bytes);
}

/* False: nobody waits any more; what is made of what did not come is not used. */
static inline bool waits(const struct wm_shared_lane *lane)
{
    return !wm_check_is_stopped(lane->check);
}

static inline void wait_a_turn(const struct wm_shared_lane *lane, unsigned turn)
{
    if (lane->rest != NULL)
        lane->rest();
    else
        wm_node_wait(lane->crowded, turn);
}

/* A member that has to wait for a slot waits for a quarter of them: to look at those who read costs them and it a line
 * that both want, and they would be asked for each round. */
static void wait_for_slots(struct wm_shared_lane *lane, uint64_t round, size_t bytes)
{
    uint64_t slots = wm_shared_slot_count(lane, bytes);

    wm_check_publish(lane->check);
    for (unsigned turn = 0; !wm_shared_look(lane, round + slots / 4, slots) && waits(lane); turn++)
        wait_a_turn(lane, turn);
}

/* The next round, once this member's slot is free. */
static inline uint64_t begin(struct wm_shared_lane *lane, size_t bytes)
{
    uint64_t round = ++lane->round;

    if (!wm_shared_may_post(lane, round, bytes))
        wait_for_slots(lane, round, bytes);
    return round;
}

static inline void await(struct wm_shared_lane *lane, uint64_t round, int member)
{
    wm_check_publish(lane->check);
    for (unsigned turn = 0; !wm_shared_posted(lane, round, member) && waits(lane); turn++)
        wait_a_turn(lane, turn);
}

/* In a crowded node what is awaited was mostly posted in earlier turns: its lines can come all at once. */
static inline void expect(const struct wm_shared_lane *lane, uint64_t round)
{
    for (int m = 0; lane->crowded && m < lane->size; m++)
        __builtin_prefetch(wm_shared_line(lane, round, m));
}

/* What a member's part of a round is, from the first of its units on. */
static inline size_t bytes_of(const struct wm_shared_short *p, int member)
{
    return p->step->counts[p->even ? 0 : member] * p->unit_bytes;
}

/* Put what this member gives into its slot: its contribution, or a part for each of the others. */
static inline void fill(const struct wm_shared_short *p, char *slot, uintptr_t send, uintptr_t receive)
{
    const struct wm_shared *s = p->step;

    if (!p->split)
        wm_shared_move(slot, place(p, s->from[0], send, receive), bytes_of(p, s->self));
    for (int m = 0; p->split && m < s->size; m++)
        if (m != s->self || p->fills_own)
            wm_shared_move(slot + (size_t)m * p->bytes, place(p, s->from[m], send, receive), bytes_of(p, m));
}

/* Nothing is moved: of a barrier. */
static void run_empty(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = p->lane;
    uint64_t round = p->posts ? begin(lane, 0) : ++lane->round;

    (void)send, (void)receive;
    if (p->posts)
        wm_shared_post(lane, round);
    if (p->sources == 1)
        await(lane, round, p->step->root);
    for (int m = 0; p->sources > 1 && m < lane->size; m++)
        if (m != lane->self)
            await(lane, round, m);
    wm_shared_pass(lane, round);
}

/* A small payload is posted, and nobody's is read: in a reduce by all but the root, in a bcast by the root. */
static void run_post(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = p->lane;
    uint64_t round = begin(lane, 0);
    struct wm_shared_line *line = wm_shared_line(lane, round, lane->self);

    wm_shared_move(line->payload, place(p, p->step->from[0], send, receive), p->bytes);
    wm_shared_post_line(lane, line, round);
    wm_shared_pass(lane, round);
}

/* One member's small payload is read: in a bcast by all but the root. */
static void run_read(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = p->lane;
    const struct wm_shared *s = p->step;
    uint64_t round = ++lane->round;

    await(lane, round, s->root);
    wm_shared_move(place(p, s->to[0], send, receive), wm_shared_line(lane, round, s->root)->payload, p->bytes);
    wm_shared_pass(lane, round);
}

/* What member `m` gives, at `target`; `slots`: the first member's payload. */
static inline void take(const struct wm_shared_short *p, uint64_t round, const char *slots, int m, char *target,
                        size_t bytes)
{
    await(p->lane, round, m);
    wm_shared_move(target, slots + (size_t)m * p->stride + p->skip, bytes);
}

/* bcast, gather, scatter, allgather, alltoall. */
static void run_moves(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = p->lane;
    const struct wm_shared *s = p->step;
    uint64_t round = p->posts ? begin(lane, p->payload) : ++lane->round;
    char *slots = wm_shared_payload(lane, round, 0, p->payload);

    if (p->posts) {
        fill(p, slots + (size_t)s->self * p->stride, send, receive);
        wm_shared_post(lane, round);
    }
    if (p->keeps)
        wm_shared_move(place(p, s->to[s->self], send, receive), place(p, s->from[0], send, receive),
                       bytes_of(p, s->self));
    if (p->sources > 1)
        expect(lane, round);
    for (int turn = 1; p->sources > 1 && turn < s->size; turn++) {
        int m = (s->self + turn) % s->size;

        take(p, round, slots, m, place(p, s->to[m], send, receive), bytes_of(p, m));
    }
    if (p->sources == 1)
        take(p, round, slots, s->root, place(p, s->to[0], send, receive), bytes_of(p, s->self));
    wm_shared_pass(lane, round);
}

/* The contributions of the first `sources` members, in their order; this one's is at `own`. */
static inline void combine(const struct wm_shared_short *p, uint64_t round, const char *slots, const char *own,
                           char *result)
{
    struct wm_shared_lane *lane = p->lane;
    const char *first = NULL;

    for (int m = 0; m < p->sources; m++) {
        const char *next = own;

        if (m != lane->self) {
            await(lane, round, m);
            next = slots + (size_t)m * p->stride + p->skip;
        }
        if (m == 0)
            first = next;
        else
            p->kernel(m > 1 ? result : first, next, result, p->units);
    }
    if (p->sources == 1 && first != result)
        wm_shared_move(result, first, p->units * p->unit_bytes);
}

/* reduce, allreduce, reduce-scatter, scan, exscan. What is overwritten before it is combined is read from the slot. */
static void run_reduction(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = p->lane;
    const struct wm_shared *s = p->step;
    bool fills = p->posts || p->fills_own;
    uint64_t round = fills ? begin(lane, p->payload) : ++lane->round;
    char *slots = wm_shared_payload(lane, round, 0, p->payload), *slot = slots + (size_t)s->self * p->stride;

    if (fills)
        fill(p, slot, send, receive);
    if (p->posts)
        wm_shared_post(lane, round);
    if (p->sources > 0) {
        expect(lane, round);
        combine(p, round, slots,
                p->fills_own ? slot + p->skip : place(p, s->from[p->split ? s->self : 0], send, receive),
                place(p, s->to[0], send, receive));
    }
    wm_shared_pass(lane, round);
}

/* The sum goes from member to member; each adds its own to what the one before it posted (core/shared/chain.h). */
static void run_chain(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_lane *lane = p->lane;
    int self = lane->self;
    bool inclusive = p->step->kind == WM_SHARED_SCAN, last = self == lane->size - 1;
    uint64_t round = self == 0 ? begin(lane, p->bytes) : ++lane->round;
    char *slot = wm_shared_payload(lane, round, self, p->bytes);
    const char *own = place(p, p->step->from[0], send, receive), *earlier = NULL;
    char *result = inclusive || self > 0 ? place(p, p->step->to[0], send, receive) : NULL;

    if (self == 0) {
        wm_shared_move(slot, own, p->bytes);
    } else {
        await(lane, round, self - 1);
        earlier = wm_shared_payload(lane, round, self - 1, p->bytes);
        if (inclusive || !last)
            p->kernel(earlier, own, last ? result : slot, p->units);
    }
    if (!last)
        wm_shared_post(lane, round);
    if (!inclusive && self > 0)
        wm_shared_move(result, earlier, p->bytes);
    else if (inclusive && !last)
        wm_shared_move(result, slot, p->bytes);
    wm_shared_pass(lane, round);
}

void wm_shared_short_begin(const struct wm_shared_short *p, const void *send, const void *receive,
                           struct wm_shared_task *task)
{
    wm_check_publish(p->lane->check);
    *task = p->task;
    task->transport = &p->transport;
    task->data.send = (uintptr_t)send;
    task->data.receive = (uintptr_t)receive;
    wm_shared_begin(task);
    wm_shared_advance(task);
}

void wm_shared_short_end(const struct wm_shared_short *p, struct wm_shared_task *task)
{
    for (unsigned turn = 0; !wm_shared_advance(task); turn++) {
        if (!waits(p->lane)) {
            wm_shared_scratch_release(task);
            return;
        }
        wait_a_turn(p->lane, turn);
    }
}

/* As an engine does. */
static void run_task(const struct wm_shared_short *p, uintptr_t send, uintptr_t receive)
{
    struct wm_shared_task task;

    wm_shared_short_begin(p, (const void *)send, (const void *)receive, &task);
    wm_shared_short_end(p, &task);
}

static bool in_users_buffers(const struct wm_shared *s)
{
    for (int m = 0; m < s->size; m++)
        if (s->from[m].buffer >= WM_BUFFER_TEMPORARY || s->to[m].buffer >= WM_BUFFER_TEMPORARY)
            return false;
    return true;
}

/* Nothing of it can fail: no bytes, or those in the user's buffers, combined by a kernel. */
static bool is_plain(const struct wm_shared *s, const struct wm_shared_data *data)
{
    if (data->unit_bytes == 0)
        return s->kind == WM_SHARED_BCAST || s->kind == WM_SHARED_REDUCE || s->kind == WM_SHARED_ALLREDUCE;
    return data->geometry->packed && in_users_buffers(s) && (s->kind < WM_SHARED_REDUCE || data->kernel != NULL);
}

static wm_shared_short_part *run_of(const struct wm_shared_short *p, const struct wm_shared_phase *phase)
{
    bool whole = p->even && !p->split && p->payload <= WM_SHARED_INLINE;

    if (p->unit_bytes == 0)
        return run_empty;
    if (phase->chain)
        return run_chain;
    if (whole && p->posts && p->sources == 0)
        return run_post;
    if (whole && !p->posts && p->sources == 1 && !phase->combine)
        return run_read;
    return phase->combine ? run_reduction : run_moves;
}

/* What the step's only round asks of this member. */
static void plan_round(struct wm_shared_short *p)
{
    const struct wm_shared *s = p->step;
    const struct wm_shared_phase *phase = p->task.phases;
    bool reads = wm_shared_belongs(s, phase->readers, s->self);

    p->split = phase->split;
    p->even = s->kind == WM_SHARED_ALLTOALL || s->kind == WM_SHARED_BCAST || wm_shared_reduces_whole(s);
    p->posts = wm_shared_belongs(s, phase->writers, s->self);
    p->bytes = wm_shared_largest_count(s) * p->unit_bytes;
    p->payload = p->bytes * (p->split ? (size_t)s->size : 1);
    p->stride = p->payload <= WM_SHARED_INLINE ? WM_SHARED_LINE : wm_shared_slots(p->lane, p->payload)->bytes;
    p->skip = p->split ? (size_t)s->self * p->bytes : 0;
    p->units = s->counts[p->even ? 0 : s->self];
    p->keeps = s->kind == WM_SHARED_ALLGATHER && wm_shared_moves_own(s);
    if (phase->combine)
        p->sources = reads ? wm_shared_source_count(&p->task, phase) : 0;
    else
        p->sources = !reads ? 0 : phase->writers == WM_SHARED_ROOT ? 1 : s->size;
    p->fills_own = p->sources > 2 && phase->combine && s->kind != WM_SHARED_EXSCAN && wm_shared_in_place(s);
    p->run = run_of(p, phase);
}

bool wm_shared_short_make(struct wm_shared_short *p, struct wm_shared_lane *lane, const struct wm_shared *step,
                          const struct wm_shared_data *data, const struct wm_transport *transport)
{
    *p = (struct wm_shared_short){.run = run_task,
                                  .step = step,
                                  .lane = lane,
                                  .kernel = data->kernel,
                                  .unit_bytes = data->unit_bytes,
                                  .transport = *transport};
    if (!is_plain(step, data))
        return false;
    wm_shared_plan(&p->task, lane, step, data, &p->transport);
    if (p->task.total == 1)
        plan_round(p);
    return true;
}
