/* Shared steps: the rounds of collectives in a node's memory. */
#include "core/shared/shared.h"

#include "core/shared/chain.h"
#include "core/shared/data.h"
#include "core/shared/direct.h"
#include "core/shared/lane.h"
#include "core/shared/scratch.h"
#include "core/shared/tree.h"

/* The phases of each kind: of small data, and of large, where that is different. In large reductions every member
 * combines a share of each chunk, then the shares are read; large scans go along a chain. */
static const struct {
    struct wm_shared_phase phases[2];
    int phase_count;
} of_small[WM_SHARED_KIND_COUNT] =
    {
        [WM_SHARED_BCAST] = {{{WM_SHARED_ROOT, WM_SHARED_OTHERS}}, 1},
        [WM_SHARED_GATHER] = {{{WM_SHARED_OTHERS, WM_SHARED_ROOT}}, 1},
        [WM_SHARED_SCATTER] = {{{WM_SHARED_ROOT, WM_SHARED_OTHERS, .split = true}}, 1},
        [WM_SHARED_ALLGATHER] = {{{WM_SHARED_ALL, WM_SHARED_ALL}}, 1},
        [WM_SHARED_ALLTOALL] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true}}, 1},
        [WM_SHARED_REDUCE] = {{{WM_SHARED_OTHERS, WM_SHARED_ROOT, .combine = true}}, 1},
        [WM_SHARED_ALLREDUCE] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .combine = true}}, 1},
        [WM_SHARED_REDUCE_SCATTER] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true, .combine = true}}, 1},
        [WM_SHARED_SCAN] = {{{WM_SHARED_BUT_LAST, WM_SHARED_ALL, .combine = true}}, 1},
        [WM_SHARED_EXSCAN] = {{{WM_SHARED_BUT_LAST, WM_SHARED_ALL, .combine = true}}, 1},
},
  of_large[WM_SHARED_KIND_COUNT] = {
      [WM_SHARED_REDUCE] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true, .combine = true},
                             {WM_SHARED_OTHERS, WM_SHARED_ROOT, .result = true}},
                            2},
      [WM_SHARED_ALLREDUCE] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true, .combine = true},
                                {WM_SHARED_ALL, WM_SHARED_ALL, .result = true}},
                               2},
      [WM_SHARED_SCAN] = {{{WM_SHARED_FIRST, WM_SHARED_ALL, .chain = true}}, 1},
      [WM_SHARED_EXSCAN] = {{{WM_SHARED_FIRST, WM_SHARED_ALL, .chain = true}}, 1},
};

/* Reductions of at most so many bytes at all members together are small: the limit is higher where members take turns
 * at a processor or are two, and in a reduce, where the root alone combines and the others need not wait. Scans of two
 * are always small, for there a chain is the same. Measured on two cores. A tree serves where a cluster has no more
 * than TREE_BYTES. */
enum { SMALL_BYTES = 32 << 10, SMALL_CROWDED_BYTES = 128 << 10, SMALL_REDUCE_BYTES = 512 << 10, TREE_BYTES = 16 << 10 };

/* Smaller ones would go round in too small a ring (core/shared/shared.h): with chunks of a quarter of the data, from
 * 8 KiB on, reduces and allreduces of 16 to 64 KiB took 1.3 to 1.9 times as long. Where processes take turns at a
 * processor each turn should do much. */
enum { CHUNK_BYTES = 32 << 10, CROWDED_CHUNK_BYTES = 128 << 10 };

/* Which phase, and which chunk, a step's round is: the shares of a chunk are read a round after those of the next were
 * posted, so that nobody waits for what was combined just now. */
static const struct wm_shared_phase *find_round(const struct wm_shared_task *t, uint32_t index, size_t *k)
{
    if (t->phase_count == 1) {
        *k = index;
        return &t->phases[0];
    }
    if (t->total == (uint32_t)t->phase_count) {
        *k = 0;
        return &t->phases[index];
    }
    if (index == 0 || index == t->total - 1) {
        *k = index == 0 ? 0 : t->total / 2 - 1;
        return &t->phases[index != 0];
    }
    *k = index % 2 == 1 ? (index + 1) / 2 : index / 2 - 1;
    return &t->phases[index % 2 == 0];
}

/* Read what is there of a round. True: all of it was. */
static bool read_round(struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k, uint64_t round)
{
    const struct wm_shared *s = t->step;

    if (phase->chain && s->self > 0)
        return wm_shared_chain_pass(t, phase, k, round);
    for (; t->turn < wm_shared_source_count(t, phase); t->turn++) {
        int m = wm_shared_source(t, phase, t->turn);

        if (m != s->self && (phase->value || wm_shared_belongs(s, phase->writers, m))) {
            if (!wm_shared_posted(t->lane, round, m))
                return false;
            if (!phase->combine && t->data.unit_bytes > 0)
                wm_shared_copy_out(t, phase, k, m,
                                   wm_shared_payload(t->lane, round, m, wm_shared_round_bytes(t, phase, k)));
        }
        if (phase->combine || phase->chain)
            wm_shared_combine_in(t, phase, k, m, round);
    }
    return true;
}

static bool try_post(struct wm_shared_task *t)
{
    size_t k;
    const struct wm_shared_phase *phase = find_round(t, t->posted, &k);
    const struct wm_shared *s = t->step;
    uint64_t round = t->first + 1 + t->posted;

    if (wm_shared_belongs(s, phase->writers, s->self) ||
        (phase->combine && wm_shared_belongs(s, phase->readers, s->self) && wm_shared_posts_own(t, phase))) {
        if (!wm_shared_may_post(t->lane, round, wm_shared_round_bytes(t, phase, k)) ||
            (phase->result && t->read < (k == 0 ? 1 : 2 * k)) || (phase->value && t->read < t->posted))
            return false;
        if (t->data.unit_bytes > 0)
            wm_shared_fill(t, phase, k, wm_shared_payload(t->lane, round, s->self, wm_shared_round_bytes(t, phase, k)));
        wm_shared_post(t->lane, round);
        if (s->kind == WM_SHARED_ALLGATHER)
            wm_shared_keep(t, k);
    }
    t->posted++;
    return true;
}

static bool try_read(struct wm_shared_task *t)
{
    size_t k;
    const struct wm_shared_phase *phase = find_round(t, t->read, &k);
    uint64_t round = t->first + 1 + t->read;

    if (wm_shared_belongs(t->step, phase->readers, t->step->self)) {
        if (!read_round(t, phase, k, round))
            return false;
        t->has_value = phase->value;
        if (phase->complete && t->lane->quiet < t->first)
            t->lane->quiet = t->first; /* all have begun this step, and so are through with those before */
    }
    t->turn = 0;
    t->read++;
    wm_shared_pass(t->lane, round);
    return true;
}

/* Which phases there are is known when all members have told their caches. */
static bool enter_tree(struct wm_shared_task *t)
{
    const struct wm_shared *s = t->step;
    struct wm_shared_tree *tree = t->lane->tree;

    if (!wm_shared_tree_ready(t->lane, wm_shared_fan(s, t->lane->crowded)))
        return false;
    t->phase_count = wm_shared_tree_phases(tree, s, t->data.geometry->packed);
    t->phases = tree->phases;
    t->total = (uint32_t)t->phase_count;
    t->lane->round += t->total;
    if (wm_shared_reduces_whole(s) && (tree->height > 0 || s->self == s->root))
        wm_shared_scratch_take(t);
    return true;
}

static size_t units_of_round(const struct wm_shared_task *t, size_t chunk_bytes)
{
    const struct wm_shared_lane *lane = t->lane;
    bool parts = t->phases[0].split && !wm_shared_reduces_whole(t->step);
    size_t bytes = chunk_bytes != 0 ? chunk_bytes : lane->crowded ? CROWDED_CHUNK_BYTES : CHUNK_BYTES, units;

    if (bytes > lane->payload)
        bytes = lane->payload;
    units = bytes / (t->data.unit_bytes > 0 ? t->data.unit_bytes : 1) / (parts ? (size_t)t->step->size : 1);
    return units > 0 ? units : 1;
}

/* The payload fits a round, and is so small that latency counts. */
static bool takes_tree(const struct wm_shared_lane *lane, const struct wm_shared *step, size_t unit_bytes,
                       size_t chunk_bytes)
{
    size_t bytes = step->counts[0] * unit_bytes, fan = (size_t)wm_shared_fan(step, lane->crowded);

    return (size_t)step->size > fan &&
           (step->kind == WM_SHARED_BCAST || (wm_shared_reduces_whole(step) && !wm_shared_scans(step))) &&
           step->counts[0] > 0 && bytes <= TREE_BYTES / fan && (chunk_bytes == 0 || bytes <= chunk_bytes);
}

static size_t small_bytes(const struct wm_shared_lane *lane, const struct wm_shared *s)
{
    if (s->size == 2 && (s->kind == WM_SHARED_REDUCE || wm_shared_scans(s)))
        return SIZE_MAX;
    if (s->kind == WM_SHARED_REDUCE)
        return SMALL_REDUCE_BYTES;
    return s->size == 2 || lane->crowded ? SMALL_CROWDED_BYTES : SMALL_BYTES;
}

/* A map says that fewer members shall be read than there are, or members take turns at a processor: then a chain is the
 * least work, and each member's turn serves as many calls as there are slots. */
static bool is_chain(const struct wm_shared_lane *lane, const struct wm_shared *s)
{
    return wm_shared_scans(s) && s->size > 2 && (lane->crowded || (s->fan > 0 && s->fan < s->size));
}

/* Through slots: phases, the units of a round, and how many rounds. */
static void plan_rounds(struct wm_shared_task *t)
{
    const struct wm_shared *step = t->step;
    size_t count = wm_shared_largest_count(step), bytes = count * t->data.unit_bytes * (size_t)step->size;
    bool whole = wm_shared_reduces_whole(step);
    bool large = whole && (bytes > small_bytes(t->lane, step) || is_chain(t->lane, step));

    t->phases = large ? of_large[step->kind].phases : of_small[step->kind].phases;
    t->phase_count = large ? of_large[step->kind].phase_count : of_small[step->kind].phase_count;
    t->units = units_of_round(t, t->transport->chunk_bytes);
    t->total = (uint32_t)((count + t->units - 1) / t->units * (size_t)t->phase_count);
}

void wm_shared_plan(struct wm_shared_task *t, struct wm_shared_lane *lane, const struct wm_shared *step,
                    const struct wm_shared_data *data, const struct wm_transport *transport)
{
    size_t count = wm_shared_largest_count(step);

    *t = (struct wm_shared_task){.step = step, .lane = lane, .data = *data, .transport = transport};
    if (takes_tree(lane, step, data->unit_bytes, transport->chunk_bytes)) {
        t->units = count;
    } else if (wm_shared_takes_direct(step, data->unit_bytes, transport)) {
        t->direct = WM_SHARED_OFFERS;
        t->units = count;
        t->total = WM_SHARED_DIRECT_ROUNDS;
    } else {
        plan_rounds(t);
    }
}

/* The rounds of a tree are taken when it is made. */
void wm_shared_begin(struct wm_shared_task *t)
{
    t->first = t->lane->round;
    t->lane->round += t->total;
    if (t->phases != NULL && (t->phases[0].combine || t->phases[0].chain))
        wm_shared_scratch_take(t);
}

/* A direct step that two members cannot do. */
static void go_by_slots(struct wm_shared_task *t)
{
    plan_rounds(t);
    wm_shared_begin(t);
}

bool wm_shared_advance(struct wm_shared_task *t)
{
    if (t->direct != WM_SHARED_BY_SLOTS) {
        if (!wm_shared_direct_advance(t))
            return false;
        if (t->direct == WM_SHARED_OVER)
            return true;
        go_by_slots(t);
    }
    if (t->phases == NULL && !enter_tree(t))
        return false;
    while (t->read < t->total) {
        bool moved = false;

        while (t->posted < t->total && t->posted < t->read + WM_SHARED_LARGE_SLOTS && try_post(t))
            moved = true;
        while (t->read < t->posted && try_read(t))
            moved = true;
        if (!moved)
            return false;
    }
    wm_shared_scratch_release(t);
    return true;
}
