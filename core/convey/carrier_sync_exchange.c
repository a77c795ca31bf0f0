/* The exchange of a synchronous hop: each rank's buffers for a member of the group become one message of MPI_Alltoallv.
 *
 * Counts of items go ahead, so that messages have their sizes: cost 2α·(members − 1) + bytes·β for a rank, or what the
 * map's paths of alltoall and alltoallv make of it. Small buffers, one a member, go whole, with their counts in them:
 * α·(members − 1) and an MPI_Alltoall. */
#include "core/convey/carrier_sync_state.h"

#include <stdlib.h>
#include <string.h>

/* Buffers of up to so many bytes go whole. */
enum { WHOLE_BYTES = 1024 };

/* Bytes of a link's part of a message: items, and their tags from the next word on. Parts begin at multiples of
 * `grain`.
 */
static size_t part_bytes(const struct wm_sync_carrier *s, size_t units, size_t grain)
{
    return wm_sync_round_up(
        wm_sync_round_up(units * s->form.unit_bytes, WM_SYNC_WORD_BYTES) + units * s->form.tag_bytes, grain);
}

/* Tags move up to the items; returns the part's bytes. */
static size_t pack_outlet(struct wm_sync_carrier *s, int lane, size_t grain)
{
    size_t units = s->outlets[s->out.lane[lane].link].kept,
           items = wm_sync_round_up(units * s->form.unit_bytes, WM_SYNC_WORD_BYTES);
    char *buffer = wm_sync_buffer(s, lane);

    s->out.units[lane] = (int)units;
    memmove(buffer + items, wm_sync_tags(s, buffer), units * s->form.tag_bytes);
    return part_bytes(s, units, grain);
}

/* A member's message: it begins in the buffer of its first lane, and the parts of others move up behind. */
static void pack_member(struct wm_sync_carrier *s, int member, size_t grain)
{
    int first = s->out.before[member];
    char *begin = wm_sync_buffer(s, first), *end = begin;

    for (int i = 0; i < s->out.links[member]; i++) {
        size_t bytes = pack_outlet(s, first + i, grain);

        memmove(end, wm_sync_buffer(s, first + i), bytes);
        end += bytes;
    }
    s->out.words[member] = (int)((size_t)(end - begin) / WM_SYNC_WORD_BYTES);
    s->out.places[member] = (int)((size_t)(begin - s->out.block) / WM_SYNC_WORD_BYTES);
}

static void pack(struct wm_sync_carrier *s, size_t grain)
{
    for (int member = 0; member < s->members; member++)
        pack_member(s, member, grain);
}

/* Sizes follow from the counts that came: where each member's message goes, behind the one before. */
static void make_places(struct wm_sync_carrier *s, size_t grain)
{
    size_t at = 0;

    for (int member = 0; member < s->members; member++) {
        size_t begin = at;

        for (int i = 0; i < s->in.links[member]; i++)
            at += part_bytes(s, (size_t)s->in.units[s->in.before[member] + i], grain);
        s->in.places[member] = (int)(begin / WM_SYNC_WORD_BYTES);
        s->in.words[member] = (int)((at - begin) / WM_SYNC_WORD_BYTES);
    }
}

/* Parts follow each other, or, `pitch` not 0, begin so many bytes apart. */
static void unpack(struct wm_sync_carrier *s, char *block, size_t grain, size_t pitch)
{
    for (int i = 0; i < s->in.lanes; i++) {
        struct wm_sync_inlet *in = &s->inlets[s->in.lane[i].link];

        in->units = (size_t)s->in.units[i];
        in->landed = block;
        block += pitch > 0 ? pitch : part_bytes(s, in->units, grain);
    }
    for (int i = 0; i < s->out.lanes; i++)
        s->outlets[s->out.lane[i].link].kept = 0;
    s->wanted = false;
}

/* These are calls of ours like a user's own: through the doors, so that the map's paths serve them. */
static int exchange_counts(struct wm_sync_carrier *s)
{
    if (s->even)
        return MPI_Alltoall(s->out.units, 1, MPI_INT, s->in.units, 1, MPI_INT, s->comm);
    return MPI_Alltoallv(s->out.units, s->out.links, s->out.before, MPI_INT, s->in.units, s->in.links, s->in.before,
                         MPI_INT, s->comm);
}

static int exchange_data(struct wm_sync_carrier *s, char *block)
{
    return MPI_Alltoallv(s->out.block, s->out.words, s->out.places, MPI_UINT64_T, block, s->in.words, s->in.places,
                         MPI_UINT64_T, s->comm);
}

/* Chunks that inlets still have stand in one block or the other, not in both: in between, all were given back. */
static char *free_block(struct wm_sync_carrier *s)
{
    for (int i = 0; i < s->in.lanes; i++) {
        const struct wm_inlet *in = &s->inlets[s->in.lane[i].link].base;
        uintptr_t offset = (uintptr_t)in->chunk.items - (uintptr_t)s->in.block;

        if (in->chunk.units > 0 && offset < (size_t)s->in.lanes * s->pitch)
            return s->spare;
    }
    return s->in.block;
}

/* The last word of a buffer, behind its units and tags (a parcel has room for a head there). */
static char *count_at(const struct wm_sync_carrier *s, char *block, int lane)
{
    return block + (size_t)(lane + 1) * s->pitch - WM_SYNC_WORD_BYTES;
}

static int exchange_whole(struct wm_sync_carrier *s, char *block)
{
    for (int i = 0; i < s->out.lanes; i++) {
        pack_outlet(s, i, WM_SYNC_WORD_BYTES);
        memcpy(count_at(s, s->out.block, i), &s->out.units[i], sizeof s->out.units[i]);
    }
    if (MPI_Alltoall(s->out.block, (int)(s->pitch / WM_SYNC_WORD_BYTES), MPI_UINT64_T, block,
                     (int)(s->pitch / WM_SYNC_WORD_BYTES), MPI_UINT64_T, s->comm) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < s->in.lanes; i++)
        memcpy(&s->in.units[i], count_at(s, block, i), sizeof s->in.units[i]);
    unpack(s, block, WM_SYNC_WORD_BYTES, s->pitch);
    return 1;
}

static int exchange_parts(struct wm_sync_carrier *s, char *block, size_t grain)
{
    pack(s, grain);
    if (exchange_counts(s) != MPI_SUCCESS)
        return 0;
    make_places(s, grain);
    if (exchange_data(s, block) != MPI_SUCCESS)
        return 0;
    unpack(s, block, grain, 0);
    return 2;
}

int wm_carrier_sync_exchange(struct wm_carrier *carrier, size_t align)
{
    struct wm_sync_carrier *s = wm_sync_carrier(carrier);
    size_t grain =
        s->form.elastic || align < WM_SYNC_WORD_BYTES || s->form.unit_bytes % align != 0 ? WM_SYNC_WORD_BYTES : align;

    if (s->even && s->pitch <= WHOLE_BYTES)
        return exchange_whole(s, free_block(s));
    return exchange_parts(s, free_block(s), grain);
}

bool wm_carrier_sync_spare(struct wm_carrier *carrier)
{
    struct wm_sync_carrier *s = wm_sync_carrier(carrier);

    if (free_block(s) == s->in.block || s->spare != NULL)
        return true;
    s->spare = aligned_alloc(WM_SYNC_BLOCK_ALIGN,
                             wm_sync_block_bytes(s, &s->in)); /* not of the user's, who frees last in, first out */
    return s->spare != NULL;
}
