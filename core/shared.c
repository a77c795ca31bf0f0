/* Shared steps: the rounds of collectives in a node's memory. */
#include "core/shared.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "core/shared_lane.h"
#include "core/shared_scratch.h"
#include "core/shared_tree.h"
#include "core/stream.h"

/* The legs of each kind. Reductions of more than a round's payload, or with many members, take the long way: every
 * member combines a share of each chunk, then the shares are read. */
static const struct {
    struct wm_shared_leg legs[2];
    int leg_count;
} short_way[WM_SHARED_KIND_COUNT] =
    {
        [WM_SHARED_BCAST] = {{{WM_SHARED_ROOT, WM_SHARED_OTHERS}}, 1},
        [WM_SHARED_GATHER] = {{{WM_SHARED_OTHERS, WM_SHARED_ROOT}}, 1},
        [WM_SHARED_SCATTER] = {{{WM_SHARED_ROOT, WM_SHARED_OTHERS, .split = true}}, 1},
        [WM_SHARED_ALLGATHER] = {{{WM_SHARED_ALL, WM_SHARED_ALL}}, 1},
        [WM_SHARED_ALLTOALL] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true}}, 1},
        [WM_SHARED_REDUCE] = {{{WM_SHARED_OTHERS, WM_SHARED_ROOT, .combine = true}}, 1},
        [WM_SHARED_ALLREDUCE] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .combine = true}}, 1},
        [WM_SHARED_REDUCE_SCATTER] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true, .combine = true}}, 1},
},
  long_way[WM_SHARED_KIND_COUNT] = {
      [WM_SHARED_REDUCE] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true, .combine = true},
                             {WM_SHARED_OTHERS, WM_SHARED_ROOT, .result = true}},
                            2},
      [WM_SHARED_ALLREDUCE] = {{{WM_SHARED_ALL, WM_SHARED_ALL, .split = true, .combine = true},
                                {WM_SHARED_ALL, WM_SHARED_ALL, .result = true}},
                               2},
};

/* Reductions of so many bytes at all members together go the short way: more where members take turns at a processor,
 * or are two, and where the root alone combines and the others need not wait. Measured on two cores. A tree serves
 * where a cluster has no more than TREE_BYTES. */
enum { SHORT_BYTES = 32 << 10, SHORT_CROWDED_BYTES = 128 << 10, SHORT_REDUCE_BYTES = 512 << 10, TREE_BYTES = 16 << 10 };

/* A payload is a quarter of the data, so that giving and getting overlap, within these bounds: chunks that stay in a
 * core's cache and are worth a flag. Where processes take turns at a processor each turn should do much. */
enum { CHUNK_MIN_BYTES = 8 << 10, CHUNK_MAX_BYTES = 32 << 10, CROWDED_CHUNK_BYTES = 128 << 10 };

static bool belongs(const struct wm_shared *s, int who, int member)
{
    return who == WM_SHARED_ALL || (who != WM_SHARED_NOBODY && (who == WM_SHARED_ROOT) == (member == s->root));
}

static char *address(const struct wm_shared_data *d, struct wm_ref ref, size_t units)
{
    uintptr_t base = ref.buffer == WM_BUFFER_SEND      ? d->send
                     : ref.buffer == WM_BUFFER_RECEIVE ? d->receive
                                                       : (uintptr_t)d->temporaries[ref.buffer - WM_BUFFER_TEMPORARY];

    return (char *)(base + (ref.offset + units) * (uintptr_t)d->geometry->extent);
}

static bool reduces_whole(const struct wm_shared *s)
{
    return s->kind == WM_SHARED_REDUCE || s->kind == WM_SHARED_ALLREDUCE;
}

bool wm_shared_in_place(const struct wm_shared *s)
{
    int own = s->kind == WM_SHARED_REDUCE_SCATTER ? s->self : 0;

    return s->from[own].buffer == s->to[0].buffer && s->from[own].offset == s->to[0].offset;
}

/* This member reads its own contribution where it posted it: what stands in the user's buffer is to be overwritten
 * before, or is not packed. */
static bool posts_own(const struct wm_shared_task *t, const struct wm_shared_leg *leg)
{
    return leg->value ? leg->writers == WM_SHARED_ALL : wm_shared_in_place(t->step) || !t->data.geometry->packed;
}

/* --- Rounds of a step --- */

size_t wm_shared_largest_count(const struct wm_shared *s)
{
    bool shares = s->kind == WM_SHARED_GATHER || s->kind == WM_SHARED_SCATTER || s->kind == WM_SHARED_ALLGATHER ||
                  s->kind == WM_SHARED_REDUCE_SCATTER;
    size_t largest = s->counts[0];

    for (int m = 1; shares && m < s->size; m++)
        if (s->counts[m] > largest)
            largest = s->counts[m];
    return largest;
}

/* Units that each stream, or each part of a split one, has in chunk `k`. */
static size_t chunk_units(const struct wm_shared_task *t, size_t count, size_t k)
{
    size_t begin = k * t->units;

    return count <= begin ? 0 : count - begin < t->units ? count - begin : t->units;
}

/* Where the part of member `m` begins in a chunk of `units` that is combined by all. */
static size_t share_begin(const struct wm_shared *s, size_t units, int m)
{
    return units / (size_t)s->size * (size_t)m + units % (size_t)s->size * (size_t)m / (size_t)s->size;
}

/* Which leg, and which chunk, a step's round is: the shares of a chunk are read a round after those of the next were
 * posted, so that nobody waits for what was combined just now. */
static const struct wm_shared_leg *find_round(const struct wm_shared_task *t, uint32_t index, size_t *k)
{
    if (t->leg_count == 1) {
        *k = index;
        return &t->legs[0];
    }
    if (t->total == (uint32_t)t->leg_count) {
        *k = 0;
        return &t->legs[index];
    }
    if (index == 0 || index == t->total - 1) {
        *k = index == 0 ? 0 : t->total / 2 - 1;
        return &t->legs[index != 0];
    }
    *k = index % 2 == 1 ? (index + 1) / 2 : index / 2 - 1;
    return &t->legs[index % 2 == 0];
}

/* The payload of a round, as large as any member's: all know it. */
static size_t payload_bytes(const struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k)
{
    const struct wm_shared *s = t->step;
    size_t units = chunk_units(t, wm_shared_largest_count(s), k);

    if (leg->result)
        units = units / (size_t)s->size + 1;
    else if (leg->split && !reduces_whole(s))
        units *= (size_t)s->size;
    return units * t->data.unit_bytes;
}

/* --- Moving units between the user's memory and slots, where they stand packed --- */

static inline void move(char *target, const char *source, size_t bytes)
{
    if (bytes == 8) /* the most frequent of all */
        memcpy(target, source, 8);
    else
        memcpy(target, source, bytes);
}

static void note_error(struct wm_shared_task *t, int rc)
{
    if (rc != MPI_SUCCESS && t->error == MPI_SUCCESS)
        t->error = rc;
}

static void pack(struct wm_shared_task *t, char *slot, struct wm_ref from, size_t skip, size_t units)
{
    const struct wm_shared_data *d = &t->data;

    if (units == 0)
        return;
    if (d->geometry->packed)
        move(slot, address(d, from, skip), units * d->unit_bytes);
    else
        note_error(t, wm_geometry_pack(d->geometry, address(d, from, skip), units, slot));
}

static void unpack(struct wm_shared_task *t, const char *slot, struct wm_ref to, size_t skip, size_t units)
{
    const struct wm_shared_data *d = &t->data;

    if (units == 0)
        return;
    if (d->geometry->packed && t->streams)
        wm_stream_copy(address(d, to, skip), slot, units * d->unit_bytes);
    else if (d->geometry->packed)
        move(address(d, to, skip), slot, units * d->unit_bytes);
    else
        note_error(t, wm_geometry_unpack(d->geometry, slot, address(d, to, skip), units));
}

/* --- Posting --- */

/* A chunk that all combine: everything but this member's own part, which nobody else reads. */
static void post_chunk(struct wm_shared_task *t, const struct wm_shared_leg *leg, char *slot, size_t k)
{
    const struct wm_shared *s = t->step;
    size_t units = chunk_units(t, s->counts[0], k), begin = k * t->units;
    size_t low = share_begin(s, units, s->self), high = share_begin(s, units, s->self + 1);

    if (posts_own(t, leg))
        low = high = 0;
    pack(t, slot, s->from[0], begin, low);
    pack(t, slot + high * t->data.unit_bytes, s->from[0], begin + high, units - high);
}

static void post_parts(struct wm_shared_task *t, const struct wm_shared_leg *leg, char *slot, size_t k)
{
    const struct wm_shared *s = t->step;
    bool own = s->kind == WM_SHARED_REDUCE_SCATTER && posts_own(t, leg);
    size_t stride = chunk_units(t, wm_shared_largest_count(s), k) * t->data.unit_bytes;

    for (int m = 0; m < s->size; m++)
        if (m != s->self || own)
            pack(t, slot + (size_t)m * stride, s->from[m], k * t->units,
                 chunk_units(t, s->counts[s->kind == WM_SHARED_ALLTOALL ? 0 : m], k));
}

/* What this member combined of a chunk: at the result's place, or in scratch where it has none. */
static void post_share(struct wm_shared_task *t, char *slot, size_t k)
{
    const struct wm_shared *s = t->step;
    size_t units = chunk_units(t, s->counts[0], k);
    size_t low = share_begin(s, units, s->self), count = share_begin(s, units, s->self + 1) - low;

    if (s->kind == WM_SHARED_ALLREDUCE)
        pack(t, slot, s->to[0], k * t->units + low, count);
    else
        memcpy(slot, wm_shared_scratch_result(t, k), count * t->data.unit_bytes);
}

/* In a tree: what this member gives, or what earlier legs have made of it. */
static void post_value(struct wm_shared_task *t, char *slot)
{
    const struct wm_shared *s = t->step;

    if (!t->has_value)
        pack(t, slot, s->from[0], 0, s->counts[0]);
    else if (s->kind != WM_SHARED_REDUCE || s->self == s->root)
        pack(t, slot, s->to[0], 0, s->counts[0]);
    else if (t->scratch != NULL)
        memcpy(slot, wm_shared_scratch_result(t, 0), s->counts[0] * t->data.unit_bytes);
}

static void fill(struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k, char *slot)
{
    const struct wm_shared *s = t->step;

    if (leg->value)
        post_value(t, slot);
    else if (leg->result)
        post_share(t, slot, k);
    else if (!leg->split)
        pack(t, slot, s->from[0], k * t->units,
             chunk_units(t, s->counts[s->kind == WM_SHARED_GATHER || s->kind == WM_SHARED_ALLGATHER ? s->self : 0], k));
    else if (reduces_whole(s))
        post_chunk(t, leg, slot, k);
    else
        post_parts(t, leg, slot, k);
}

/* --- Reading --- */

static void copy_from(struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k, int m, const char *slot)
{
    const struct wm_shared *s = t->step;
    size_t skip = k * t->units, units;
    bool apart = s->kind == WM_SHARED_GATHER || s->kind == WM_SHARED_ALLGATHER || s->kind == WM_SHARED_ALLTOALL;

    if (leg->result) {
        size_t chunk = chunk_units(t, s->counts[0], k), low = share_begin(s, chunk, m);

        unpack(t, slot, s->to[0], skip + low, share_begin(s, chunk, m + 1) - low);
        return;
    }
    units = chunk_units(t,
                        s->counts[s->kind == WM_SHARED_SCATTER             ? s->self
                                  : apart && s->kind != WM_SHARED_ALLTOALL ? m
                                                                           : 0],
                        k);
    if (leg->split)
        slot += (size_t)s->self * chunk_units(t, wm_shared_largest_count(s), k) * t->data.unit_bytes;
    unpack(t, slot, s->to[apart ? m : 0], skip, units);
}

/* What of the chunk this member combines: units `low` on, `count` of them, and where they stand in the slots. */
struct part {
    size_t low, count, slot_units;
};

static struct part find_part(const struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k)
{
    const struct wm_shared *s = t->step;
    struct part part = {0, chunk_units(t, s->counts[reduces_whole(s) ? 0 : s->self], k), 0};

    if (!reduces_whole(s)) {
        part.slot_units = (size_t)s->self * chunk_units(t, wm_shared_largest_count(s), k);
    } else if (leg->split) {
        size_t units = part.count;

        part.low = part.slot_units = share_begin(s, units, s->self);
        part.count = share_begin(s, units, s->self + 1) - part.low;
    }
    return part;
}

static char *result_place(const struct wm_shared_task *t, size_t k, const struct part *part)
{
    const struct wm_shared *s = t->step;

    if (s->kind == WM_SHARED_REDUCE && s->self != s->root)
        return wm_shared_scratch_result(t, k);
    return address(&t->data, s->to[0], k * t->units + part->low);
}

/* What member `m` contributes, packed; this one's own stands where the user has it, unless that is overwritten, or
 * where an earlier leg of a tree put it. */
static const char *contribution(const struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k, int m,
                                const struct part *part, uint64_t round)
{
    const struct wm_shared *s = t->step;

    if (m == s->self && !posts_own(t, leg))
        return t->has_value ? result_place(t, k, part)
                            : address(&t->data, s->from[reduces_whole(s) ? 0 : s->self], k * t->units + part->low);
    return wm_shared_payload(t->lane, round, m, payload_bytes(t, leg, k)) + part->slot_units * t->data.unit_bytes;
}

/* Whom a round is read from in which turn, at most. */
static int source_count(const struct wm_shared_task *t, const struct wm_shared_leg *leg)
{
    return leg->value ? leg->source_count : t->step->size;
}

static int source_of(const struct wm_shared_task *t, const struct wm_shared_leg *leg, int turn)
{
    const struct wm_shared *s = t->step;

    return leg->value ? leg->sources[turn] : leg->combine ? turn : (s->self + 1 + turn) % s->size;
}

/* Combine member `m`'s contribution with those before it. */
static void combine_from(struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k, int m, uint64_t round)
{
    struct part part = find_part(t, leg, k);
    const char *own;
    char *result;

    if (part.count == 0 || t->data.unit_bytes == 0)
        return;
    own = contribution(t, leg, k, m, &part, round);
    result = result_place(t, k, &part);
    if (t->data.kernel == NULL)
        wm_shared_combine_slowly(t, own, result, t->turn, t->turn == source_count(t, leg) - 1, part.count);
    else if (result != NULL && t->turn > 0)
        t->data.kernel(t->turn > 1 ? result : contribution(t, leg, k, source_of(t, leg, 0), &part, round), own, result,
                       part.count);
}

/* Read what is there of a round. True: all of it was. */
static bool read_round(struct wm_shared_task *t, const struct wm_shared_leg *leg, size_t k, uint64_t round)
{
    const struct wm_shared *s = t->step;

    for (; t->turn < source_count(t, leg); t->turn++) {
        int m = source_of(t, leg, t->turn);

        if (m != s->self && (leg->value || belongs(s, leg->writers, m))) {
            if (!wm_shared_posted(t->lane, round, m))
                return false;
            if (!leg->combine && t->data.unit_bytes > 0)
                copy_from(t, leg, k, m, wm_shared_payload(t->lane, round, m, payload_bytes(t, leg, k)));
        }
        if (leg->combine)
            combine_from(t, leg, k, m, round);
    }
    return true;
}

/* --- The course of a step --- */

static bool try_post(struct wm_shared_task *t)
{
    size_t k;
    const struct wm_shared_leg *leg = find_round(t, t->posted, &k);
    const struct wm_shared *s = t->step;
    uint64_t round = t->first + 1 + t->posted;

    if (belongs(s, leg->writers, s->self) || (leg->combine && belongs(s, leg->readers, s->self) && posts_own(t, leg))) {
        if (!wm_shared_may_post(t->lane, round, payload_bytes(t, leg, k)) ||
            (leg->result && t->read < (k == 0 ? 1 : 2 * k)) || (leg->value && t->read < t->posted))
            return false;
        if (t->data.unit_bytes > 0)
            fill(t, leg, k, wm_shared_payload(t->lane, round, s->self, payload_bytes(t, leg, k)));
        wm_shared_post(t->lane, round);
    }
    t->posted++;
    return true;
}

static bool try_read(struct wm_shared_task *t)
{
    size_t k;
    const struct wm_shared_leg *leg = find_round(t, t->read, &k);
    uint64_t round = t->first + 1 + t->read;

    if (belongs(t->step, leg->readers, t->step->self)) {
        if (!read_round(t, leg, k, round))
            return false;
        t->has_value = leg->value;
        if (leg->complete && t->lane->quiet < t->first)
            t->lane->quiet = t->first; /* all have begun this step, and so are through with those before */
    }
    t->turn = 0;
    t->read++;
    wm_shared_pass(t->lane, round);
    return true;
}

/* Which legs there are is known when all members have told their caches. */
static bool enter_tree(struct wm_shared_task *t)
{
    const struct wm_shared *s = t->step;
    struct wm_shared_tree *tree = t->lane->tree;

    if (!wm_shared_tree_ready(t->lane, wm_shared_fan(s, t->lane->crowded)))
        return false;
    t->leg_count = wm_shared_tree_legs(tree, s, t->data.geometry->packed);
    t->legs = tree->legs;
    t->total = (uint32_t)t->leg_count;
    t->lane->round += t->total;
    if (reduces_whole(s) && (tree->height > 0 || s->self == s->root))
        wm_shared_scratch_take(t);
    return true;
}

bool wm_shared_advance(struct wm_shared_task *t)
{
    if (t->legs == NULL && !enter_tree(t))
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

static size_t chunk_of(const struct wm_shared_lane *lane, size_t payload)
{
    if (lane->crowded)
        return CROWDED_CHUNK_BYTES;
    payload = (payload / 4 + WM_SHARED_PAGE - 1) / WM_SHARED_PAGE * WM_SHARED_PAGE;
    return payload < CHUNK_MIN_BYTES ? CHUNK_MIN_BYTES : payload > CHUNK_MAX_BYTES ? CHUNK_MAX_BYTES : payload;
}

/* `count`: units of the largest stream, or part. */
static size_t units_of_round(const struct wm_shared_task *t, size_t count, size_t chunk_bytes)
{
    const struct wm_shared_lane *lane = t->lane;
    bool parts = t->legs[0].split && !reduces_whole(t->step);
    size_t payload = count * t->data.unit_bytes * (parts ? (size_t)t->step->size : 1), units;
    size_t bytes = chunk_bytes != 0 ? chunk_bytes : chunk_of(lane, payload);

    if (bytes > lane->payload)
        bytes = lane->payload;
    units = bytes / (t->data.unit_bytes > 0 ? t->data.unit_bytes : 1) / (parts ? (size_t)t->step->size : 1);
    return units > 0 ? units : 1;
}

/* What this member gets from all others together. */
static size_t result_bytes(const struct wm_shared_task *t, size_t largest)
{
    const struct wm_shared *s = t->step;
    bool from_each = s->kind == WM_SHARED_ALLTOALL || s->kind == WM_SHARED_ALLGATHER ||
                     (s->kind == WM_SHARED_GATHER && s->self == s->root);

    return largest * t->data.unit_bytes * (from_each ? (size_t)s->size - 1 : 1);
}

/* The payload fits a round, and is so small that latency counts. */
bool wm_shared_takes_tree(const struct wm_shared_lane *lane, const struct wm_shared *step, size_t unit_bytes,
                          size_t chunk_bytes)
{
    size_t bytes = step->counts[0] * unit_bytes, fan = (size_t)wm_shared_fan(step, lane->crowded);

    return (size_t)step->size > fan && (step->kind == WM_SHARED_BCAST || reduces_whole(step)) && step->counts[0] > 0 &&
           bytes <= TREE_BYTES / fan && (chunk_bytes == 0 || bytes <= chunk_bytes);
}

static size_t short_bytes(const struct wm_shared_lane *lane, const struct wm_shared *s)
{
    if (s->kind == WM_SHARED_REDUCE)
        return s->size == 2 ? SIZE_MAX : SHORT_REDUCE_BYTES;
    return s->size == 2 || lane->crowded ? SHORT_CROWDED_BYTES : SHORT_BYTES;
}

void wm_shared_begin(struct wm_shared_task *t, struct wm_shared_lane *lane, const struct wm_shared *step,
                     const struct wm_shared_data *data, size_t chunk_bytes)
{
    size_t count;
    bool goes_long;

    *t = (struct wm_shared_task){.step = step, .lane = lane, .data = *data, .first = lane->round};
    count = wm_shared_largest_count(step);
    if (wm_shared_takes_tree(lane, step, data->unit_bytes, chunk_bytes)) {
        t->units = count;
        return;
    }
    goes_long = reduces_whole(step) && count * data->unit_bytes * (size_t)step->size > short_bytes(lane, step);
    t->legs = goes_long ? long_way[step->kind].legs : short_way[step->kind].legs;
    t->leg_count = goes_long ? long_way[step->kind].leg_count : short_way[step->kind].leg_count;
    t->units = units_of_round(t, count, chunk_bytes);
    t->streams = result_bytes(t, count) >= WM_STREAM_BYTES;
    t->total = (uint32_t)((count + t->units - 1) / t->units * (size_t)t->leg_count);
    lane->round += t->total;
    if (t->legs[0].combine)
        wm_shared_scratch_take(t);
}
