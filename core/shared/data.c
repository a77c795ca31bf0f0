/* The data of shared steps: what a round carries into slots and out of them. */
#include "core/shared/data.h"

#include <string.h>
#include "core/shared/lane.h"
#include "core/shared/scratch.h"

char *wm_shared_address(const struct wm_shared_data *d, struct wm_ref ref, size_t units)
{
    uintptr_t base = ref.buffer == WM_BUFFER_SEND      ? d->send
                     : ref.buffer == WM_BUFFER_RECEIVE ? d->receive
                                                       : (uintptr_t)d->temporaries[ref.buffer - WM_BUFFER_TEMPORARY];

    return (char *)(base + (ref.offset + units) * (uintptr_t)d->geometry->extent);
}

bool wm_shared_reduces_whole(const struct wm_shared *s)
{
    return s->kind == WM_SHARED_REDUCE || s->kind == WM_SHARED_ALLREDUCE || wm_shared_scans(s);
}

bool wm_shared_in_place(const struct wm_shared *s)
{
    int own = s->kind == WM_SHARED_REDUCE_SCATTER ? s->self : 0;

    return s->from[own].buffer == s->to[0].buffer && s->from[own].offset == s->to[0].offset;
}

bool wm_shared_posts_own(const struct wm_shared_task *t, const struct wm_shared_phase *phase)
{
    if (phase->value)
        return phase->writers == WM_SHARED_ALL;
    return t->step->kind != WM_SHARED_EXSCAN && (wm_shared_in_place(t->step) || !t->data.geometry->packed);
}

/* Units that each stream, or each part of a split one, of `count` units has in chunk `k`. */
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

size_t wm_shared_round_bytes(const struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k)
{
    const struct wm_shared *s = t->step;
    size_t units = chunk_units(t, wm_shared_largest_count(s), k);

    if (phase->result)
        units = units / (size_t)s->size + 1;
    else if (phase->split && !wm_shared_reduces_whole(s))
        units *= (size_t)s->size;
    return units * t->data.unit_bytes;
}

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

/* --- Moving units between the user's memory and slots, where they stand packed --- */

void wm_shared_pack(struct wm_shared_task *t, char *slot, struct wm_ref from, size_t skip, size_t units)
{
    const struct wm_shared_data *d = &t->data;

    if (units == 0)
        return;
    if (d->geometry->packed)
        wm_shared_move(slot, wm_shared_address(d, from, skip), units * d->unit_bytes);
    else
        wm_shared_note(t, wm_geometry_pack(d->geometry, wm_shared_address(d, from, skip), units, slot));
}

void wm_shared_unpack(struct wm_shared_task *t, const char *slot, struct wm_ref to, size_t skip, size_t units)
{
    const struct wm_shared_data *d = &t->data;

    if (units == 0)
        return;
    if (d->geometry->packed)
        wm_shared_move(wm_shared_address(d, to, skip), slot, units * d->unit_bytes);
    else
        wm_shared_note(t, wm_geometry_unpack(d->geometry, slot, wm_shared_address(d, to, skip), units));
}

/* --- Posting --- */

/* A chunk that all combine: everything but this member's own part, which nobody else reads. */
static void post_chunk(struct wm_shared_task *t, const struct wm_shared_phase *phase, char *slot, size_t k)
{
    const struct wm_shared *s = t->step;
    size_t units = chunk_units(t, s->counts[0], k), begin = k * t->units;
    size_t low = share_begin(s, units, s->self), high = share_begin(s, units, s->self + 1);

    if (wm_shared_posts_own(t, phase))
        low = high = 0;
    wm_shared_pack(t, slot, s->from[0], begin, low);
    wm_shared_pack(t, slot + high * t->data.unit_bytes, s->from[0], begin + high, units - high);
}

static void post_parts(struct wm_shared_task *t, const struct wm_shared_phase *phase, char *slot, size_t k)
{
    const struct wm_shared *s = t->step;
    bool own = s->kind == WM_SHARED_REDUCE_SCATTER && wm_shared_posts_own(t, phase);
    size_t stride = chunk_units(t, wm_shared_largest_count(s), k) * t->data.unit_bytes;

    for (int m = 0; m < s->size; m++)
        if (m != s->self || own)
            wm_shared_pack(t, slot + (size_t)m * stride, s->from[m], k * t->units,
                           chunk_units(t, s->counts[s->kind == WM_SHARED_ALLTOALL ? 0 : m], k));
}

/* What this member combined of a chunk: at the result's place, or in scratch where it has none. */
static void post_share(struct wm_shared_task *t, char *slot, size_t k)
{
    const struct wm_shared *s = t->step;
    size_t units = chunk_units(t, s->counts[0], k);
    size_t low = share_begin(s, units, s->self), count = share_begin(s, units, s->self + 1) - low;

    if (s->kind == WM_SHARED_ALLREDUCE)
        wm_shared_pack(t, slot, s->to[0], k * t->units + low, count);
    else if (t->scratch != NULL)
        memcpy(slot, wm_shared_scratch_result(t, k), count * t->data.unit_bytes);
}

/* In a tree: what this member gives, or what earlier phases have made of it. */
static void post_value(struct wm_shared_task *t, char *slot)
{
    const struct wm_shared *s = t->step;

    if (!t->has_value)
        wm_shared_pack(t, slot, s->from[0], 0, s->counts[0]);
    else if (s->kind != WM_SHARED_REDUCE || s->self == s->root)
        wm_shared_pack(t, slot, s->to[0], 0, s->counts[0]);
    else if (t->scratch != NULL)
        memcpy(slot, wm_shared_scratch_result(t, 0), s->counts[0] * t->data.unit_bytes);
}

void wm_shared_fill(struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k, char *slot)
{
    const struct wm_shared *s = t->step;

    if (phase->value)
        post_value(t, slot);
    else if (phase->result)
        post_share(t, slot, k);
    else if (!phase->split)
        wm_shared_pack(
            t, slot, s->from[0], k * t->units,
            chunk_units(t, s->counts[s->kind == WM_SHARED_GATHER || s->kind == WM_SHARED_ALLGATHER ? s->self : 0], k));
    else if (wm_shared_reduces_whole(s))
        post_chunk(t, phase, slot, k);
    else
        post_parts(t, phase, slot, k);
}

/* From the caches, when it was posted just now. */
void wm_shared_keep(struct wm_shared_task *t, size_t k)
{
    const struct wm_shared *s = t->step;
    const struct wm_shared_data *d = &t->data;
    size_t skip = k * t->units, units = chunk_units(t, s->counts[s->self], k);

    if (d->unit_bytes == 0 || units == 0 || !wm_shared_moves_own(s))
        return;
    if (d->geometry->packed)
        wm_shared_unpack(t, wm_shared_address(d, s->from[0], skip), s->to[s->self], skip, units);
    else
        wm_shared_note(t, wm_geometry_copy(d->geometry, wm_shared_address(d, s->from[0], skip),
                                           wm_shared_address(d, s->to[s->self], skip), units));
}

/* --- Reading --- */

int wm_shared_source_count(const struct wm_shared_task *t, const struct wm_shared_phase *phase)
{
    if (phase->value)
        return phase->source_count;
    return wm_shared_scans(t->step) ? t->step->self + (t->step->kind == WM_SHARED_SCAN) : t->step->size;
}

int wm_shared_source(const struct wm_shared_task *t, const struct wm_shared_phase *phase, int turn)
{
    const struct wm_shared *s = t->step;

    return phase->value ? phase->sources[turn] : phase->combine || phase->chain ? turn : (s->self + 1 + turn) % s->size;
}

void wm_shared_copy_out(struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k, int m,
                        const char *slot)
{
    const struct wm_shared *s = t->step;
    size_t skip = k * t->units, units;
    bool apart = s->kind == WM_SHARED_GATHER || s->kind == WM_SHARED_ALLGATHER || s->kind == WM_SHARED_ALLTOALL;

    if (phase->result) {
        size_t chunk = chunk_units(t, s->counts[0], k), low = share_begin(s, chunk, m);

        wm_shared_unpack(t, slot, s->to[0], skip + low, share_begin(s, chunk, m + 1) - low);
        return;
    }
    units = chunk_units(t,
                        s->counts[s->kind == WM_SHARED_SCATTER             ? s->self
                                  : apart && s->kind != WM_SHARED_ALLTOALL ? m
                                                                           : 0],
                        k);
    if (phase->split)
        slot += (size_t)s->self * chunk_units(t, wm_shared_largest_count(s), k) * t->data.unit_bytes;
    wm_shared_unpack(t, slot, s->to[apart ? m : 0], skip, units);
}

/* What of the chunk this member combines: units `low` on, `count` of them, and where they stand in the slots. */
struct part {
    size_t low, count, slot_units;
};

static struct part find_part(const struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k)
{
    const struct wm_shared *s = t->step;
    struct part part = {0, chunk_units(t, s->counts[wm_shared_reduces_whole(s) ? 0 : s->self], k), 0};

    if (!wm_shared_reduces_whole(s)) {
        part.slot_units = (size_t)s->self * chunk_units(t, wm_shared_largest_count(s), k);
    } else if (phase->split) {
        size_t units = part.count;

        part.low = part.slot_units = share_begin(s, units, s->self);
        part.count = share_begin(s, units, s->self + 1) - part.low;
    }
    return part;
}

/* What is combined for the root stands in scratch. */
static bool packs_result(const struct wm_shared *s)
{
    return s->kind == WM_SHARED_REDUCE && s->self != s->root;
}

static char *result_place(const struct wm_shared_task *t, size_t k, const struct part *part)
{
    const struct wm_shared *s = t->step;

    if (packs_result(s))
        return wm_shared_scratch_result(t, k);
    return wm_shared_address(&t->data, s->to[0], k * t->units + part->low);
}

/* What member `m` contributes, packed; this one's own stands where the user has it, unless that is overwritten, or
 * where an earlier phase of a tree put it. */
static const char *contribution(const struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k, int m,
                                const struct part *part, uint64_t round)
{
    const struct wm_shared *s = t->step;

    if (m == s->self && !wm_shared_posts_own(t, phase))
        return t->has_value ? result_place(t, k, part)
                            : wm_shared_address(&t->data, s->from[wm_shared_reduces_whole(s) ? 0 : s->self],
                                                k * t->units + part->low);
    return wm_shared_payload(t->lane, round, m, wm_shared_round_bytes(t, phase, k)) +
           part->slot_units * t->data.unit_bytes;
}

void wm_shared_combine_in(struct wm_shared_task *t, const struct wm_shared_phase *phase, size_t k, int m,
                          uint64_t round)
{
    struct part part = find_part(t, phase, k);
    bool last = t->turn == wm_shared_source_count(t, phase) - 1;
    const char *own;
    char *result;

    if (part.count == 0 || t->data.unit_bytes == 0)
        return;
    own = contribution(t, phase, k, m, &part, round);
    result = result_place(t, k, &part);
    if (t->data.kernel == NULL)
        wm_shared_combine_slowly(t, own, result, t->turn, last, packs_result(t->step), part.count);
    else if (t->turn == 0 && last && own != result)
        wm_shared_unpack(t, own, t->step->to[0], k * t->units + part.low, part.count);
    else if (result != NULL && t->turn > 0)
        t->data.kernel(t->turn > 1 ? result : contribution(t, phase, k, wm_shared_source(t, phase, 0), &part, round),
                       own, result, part.count);
}
