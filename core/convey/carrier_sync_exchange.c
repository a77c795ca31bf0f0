/* The exchange of a synchronous hop: each rank's buffers for a member of the group become one message of MPI_Alltoallv.
 *
 * Counts of items go ahead, so that messages have their sizes: cost 2α·(members − 1) + bytes·β for a rank, or what the
 * map's paths of alltoall and alltoallv make of it. */
#include "core/convey/carrier_sync_state.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a link's part of a message: items, and their tags from the next word on. Parts begin at multiples of
 * `grain`.
 */
static size_t part_bytes(const struct sync_carrier *s, size_t units, size_t grain)
{
    return wm_sync_round_up(wm_sync_round_up(units * s->form.unit_bytes, WORD_BYTES) + units * s->form.tag_bytes,
                            grain);
}

/* Tags move up to the items; returns the part's bytes. */
static size_t pack_outlet(struct sync_carrier *s, int lane, size_t grain)
{
    size_t units = s->outlets[s->out.lane[lane].link].kept,
           items = wm_sync_round_up(units * s->form.unit_bytes, WORD_BYTES);
    char *buffer = wm_sync_buffer(s, lane);

    s->out.units[lane] = (int)units;
    memmove(buffer + items, wm_sync_tags(s, buffer), units * s->form.tag_bytes);
    return part_bytes(s, units, grain);
}

/* A member's message: it begins in the buffer of its first lane, and the parts of others move up behind. */
static void pack_member(struct sync_carrier *s, int member, size_t grain)
{
    int first = s->out.before[member];
    char *begin = wm_sync_buffer(s, first), *end = begin;

    for (int i = 0; i < s->out.links[member]; i++) {
        size_t bytes = pack_outlet(s, first + i, grain);

        memmove(end, wm_sync_buffer(s, first + i), bytes);
        end += bytes;
    }
    s->out.words[member] = (int)((size_t)(end - begin) / WORD_BYTES);
    s->out.places[member] = (int)((size_t)(begin - s->out.block) / WORD_BYTES);
}

static void pack(struct sync_carrier *s, size_t grain)
{
    for (int member = 0; member < s->members; member++)
        pack_member(s, member, grain);
}

/* Sizes follow from the counts that came: where each member's message goes, behind the one before. */
static void make_places(struct sync_carrier *s, size_t grain)
{
    size_t at = 0;

    for (int member = 0; member < s->members; member++) {
        size_t begin = at;

        for (int i = 0; i < s->in.links[member]; i++)
            at += part_bytes(s, (size_t)s->in.units[s->in.before[member] + i], grain);
        s->in.places[member] = (int)(begin / WORD_BYTES);
        s->in.words[member] = (int)((at - begin) / WORD_BYTES);
    }
}

static void unpack(struct sync_carrier *s, char *block, size_t grain)
{
    for (int i = 0; i < s->in.lanes; i++) {
        struct sync_inlet *in = &s->inlets[s->in.lane[i].link];

        in->units = (size_t)s->in.units[i];
        in->landed = block;
        block += part_bytes(s, in->units, grain);
    }
    for (int i = 0; i < s->out.lanes; i++)
        s->outlets[s->out.lane[i].link].kept = 0;
    s->wanted = false;
}

/* These two are calls of ours like a user's own: through the doors, so that the map's paths serve them. */
static int exchange_counts(struct sync_carrier *s)
{
    if (s->even)
        return MPI_Alltoall(s->out.units, 1, MPI_INT, s->in.units, 1, MPI_INT, s->comm);
    return MPI_Alltoallv(s->out.units, s->out.links, s->out.before, MPI_INT, s->in.units, s->in.links, s->in.before,
                         MPI_INT, s->comm);
}

static int exchange_data(struct sync_carrier *s, char *block)
{
    return MPI_Alltoallv(s->out.block, s->out.words, s->out.places, MPI_UINT64_T, block, s->in.words, s->in.places,
                         MPI_UINT64_T, s->comm);
}

/* Chunks that inlets still have stand in one block or the other, not in both: in between, all were given back. */
static char *free_block(struct sync_carrier *s)
{
    for (int i = 0; i < s->in.lanes; i++) {
        const struct wm_inlet *in = &s->inlets[s->in.lane[i].link].base;
        uintptr_t offset = (uintptr_t)in->chunk.items - (uintptr_t)s->in.block;

        if (in->chunk.units > 0 && offset < (size_t)s->in.lanes * s->pitch)
            return s->spare;
    }
    return s->in.block;
}

bool wm_carrier_sync_exchange(struct wm_carrier *carrier, size_t align)
{
    struct sync_carrier *s = wm_sync_carrier(carrier);
    size_t grain = s->form.elastic || align < WORD_BYTES || s->form.unit_bytes % align != 0 ? WORD_BYTES : align;
    char *block = free_block(s);

    pack(s, grain);
    if (exchange_counts(s) != MPI_SUCCESS)
        return false;
    make_places(s, grain);
    if (exchange_data(s, block) != MPI_SUCCESS)
        return false;
    unpack(s, block, grain);
    return true;
}

bool wm_carrier_sync_spare(struct wm_carrier *carrier)
{
    struct sync_carrier *s = wm_sync_carrier(carrier);

    if (free_block(s) == s->in.block || s->spare != NULL)
        return true;
    s->spare = aligned_alloc(BLOCK_ALIGN,
                             wm_sync_block_bytes(s, &s->in)); /* not of the user's, who frees last in, first out */
    return s->spare != NULL;
}
