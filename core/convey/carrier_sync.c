/* The carrier of a synchronous hop: links, and the exchange of their buffers by MPI_Alltoallv. */
#include "core/convey/carrier_sync.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"

/* MPI counts in words, so that groups' buffers may exceed 2 GiB. */
enum { WORD_BYTES = 8, BLOCK_ALIGN = 64 };

struct sync_outlet {
    struct wm_outlet base;
    size_t kept; /* units that were closed */
};

struct sync_inlet {
    struct wm_inlet base;
    char *landed; /* what was exchanged and not taken */
    size_t units;
};

/* A link in the order of messages: by member, then by number at the receiver. */
struct lane {
    int member, number, link;
};

/* One side of the hop: its links in order, their buffers, and what MPI is told. */
struct side {
    int lanes;
    struct lane *lane;
    int *units;          /* [lanes] in the buffer of each */
    int *links, *before; /* [members] lanes of a member, and of all before it */
    int *words, *places; /* [members] of its message */
    char *block;         /* [lanes] buffers of `pitch` bytes */
};

struct sync_carrier {
    struct wm_carrier base;
    struct wm_convey_form form;
    const convey_alc8r_t *alloc;
    MPI_Comm comm;
    int members;
    bool even; /* a lane to each member and from each */
    bool wanted, ended;
    size_t pitch;
    struct side out, in;
    char *spare; /* as in.block */
    struct sync_outlet *outlets;
    struct sync_inlet *inlets;
};

/* ---- links ---- */

static struct sync_carrier *carrier_of(struct wm_carrier *carrier)
{
    return (struct sync_carrier *)carrier;
}

/* Where the buffer of an outlet begins; `inlet` is its lane (see make_outlets). */
static char *buffer_of(struct sync_carrier *s, int lane)
{
    return s->out.block + (size_t)lane * s->pitch;
}

static char *tags_of(struct sync_carrier *s, char *buffer)
{
    return buffer + s->form.units * s->form.unit_bytes;
}

static bool open_outlet(struct wm_outlet *out, size_t units)
{
    struct sync_outlet *o = (struct sync_outlet *)out;
    struct sync_carrier *s = carrier_of(out->carrier);
    char *buffer = buffer_of(s, out->inlet);

    if (s->form.units - o->kept < (units > 0 ? units : 1)) {
        s->wanted = true;
        return false;
    }
    out->hot->at = out->open_at = buffer + o->kept * s->form.unit_bytes;
    out->hot->tag = tags_of(s, buffer) + o->kept * s->form.tag_bytes;
    out->hot->limit = buffer + s->form.units * s->form.unit_bytes;
    return true;
}

static bool close_outlet(struct wm_outlet *out, enum wm_convey_reason reason, size_t *bytes)
{
    struct sync_outlet *o = (struct sync_outlet *)out;
    struct sync_carrier *s = carrier_of(out->carrier);
    size_t units = (size_t)(out->hot->at - out->open_at) / s->form.unit_bytes;

    *bytes = units * (s->form.unit_bytes + s->form.tag_bytes);
    o->kept += units;
    out->handed += units;
    out->hot->limit = out->hot->at;
    out->open_at = NULL;
    out->sample.ticks = 0; /* counts alone are exchanged beside the items */
    if (reason == WM_REASON_URGENT)
        s->wanted = true;
    return true;
}

/* All ranks see the end together (wm_carrier_sync_end). */
static bool end_outlet(struct wm_outlet *out)
{
    (void)out;
    return true;
}

static bool is_hungry(const struct wm_outlet *out)
{
    (void)out;
    return false;
}

static size_t round_up(size_t bytes, size_t grain)
{
    return (bytes + grain - 1) / grain * grain;
}

static bool take(struct wm_inlet *in)
{
    struct sync_inlet *i = (struct sync_inlet *)in;
    struct sync_carrier *s = carrier_of(in->carrier);

    if (i->units == 0) {
        in->ended = s->ended;
        return false;
    }
    in->chunk = (struct wm_chunk){i->landed, NULL, i->units};
    if (s->form.tag_bytes > 0)
        in->chunk.tags = i->landed + round_up(i->units * s->form.unit_bytes, WORD_BYTES);
    in->used = 0;
    i->units = 0;
    return true;
}

static void give(struct wm_inlet *in)
{
    in->taken += in->chunk.units;
    in->chunk.units = 0;
}

static void rewind_carrier(struct wm_carrier *carrier, unsigned run)
{
    struct sync_carrier *s = carrier_of(carrier);

    (void)run;
    s->wanted = s->ended = false;
    for (int i = 0; i < s->out.lanes; i++)
        s->outlets[s->out.lane[i].link].kept = 0;
    for (int i = 0; i < s->in.lanes; i++)
        s->inlets[s->in.lane[i].link].units = 0;
}

/* ---- the exchange ---- */

/* Bytes of a link's part of a message: items, and their tags from the next word on. Parts begin at multiples of
 * `grain`.
 */
static size_t part_bytes(const struct sync_carrier *s, size_t units, size_t grain)
{
    return round_up(round_up(units * s->form.unit_bytes, WORD_BYTES) + units * s->form.tag_bytes, grain);
}

/* Tags move up to the items; returns the part's bytes. */
static size_t pack_outlet(struct sync_carrier *s, int lane, size_t grain)
{
    size_t units = s->outlets[s->out.lane[lane].link].kept, items = round_up(units * s->form.unit_bytes, WORD_BYTES);
    char *buffer = buffer_of(s, lane);

    s->out.units[lane] = (int)units;
    memmove(buffer + items, tags_of(s, buffer), units * s->form.tag_bytes);
    return part_bytes(s, units, grain);
}

/* A member's message: it begins in the buffer of its first lane, and the parts of others move up behind. */
static void pack_member(struct sync_carrier *s, int member, size_t grain)
{
    int first = s->out.before[member];
    char *begin = buffer_of(s, first), *end = begin;

    for (int i = 0; i < s->out.links[member]; i++) {
        size_t bytes = pack_outlet(s, first + i, grain);

        memmove(end, buffer_of(s, first + i), bytes);
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
    struct sync_carrier *s = carrier_of(carrier);
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

/* ---- what the step wants to know ---- */

bool wm_carrier_sync_wanted(const struct wm_carrier *carrier)
{
    return ((const struct sync_carrier *)carrier)->wanted;
}

bool wm_carrier_sync_loaded(const struct wm_carrier *carrier)
{
    const struct sync_carrier *s = (const struct sync_carrier *)carrier;

    for (int i = 0; i < s->out.lanes; i++) {
        const struct sync_outlet *o = &s->outlets[s->out.lane[i].link];

        if (o->kept > 0 || (o->base.open_at != NULL && o->base.hot->at != o->base.open_at))
            return true;
    }
    return false;
}

bool wm_carrier_sync_landed(const struct wm_carrier *carrier)
{
    const struct sync_carrier *s = (const struct sync_carrier *)carrier;

    for (int i = 0; i < s->in.lanes; i++) {
        const struct sync_inlet *in = &s->inlets[s->in.lane[i].link];

        if (in->units > 0 || (in->base.chunk.units > 0 && in->base.used < in->base.chunk.units))
            return true;
    }
    return false;
}

static size_t block_bytes(const struct sync_carrier *s, const struct side *side)
{
    return (size_t)side->lanes * s->pitch;
}

bool wm_carrier_sync_spare(struct wm_carrier *carrier)
{
    struct sync_carrier *s = carrier_of(carrier);

    if (free_block(s) == s->in.block || s->spare != NULL)
        return true;
    s->spare = aligned_alloc(BLOCK_ALIGN, block_bytes(s, &s->in)); /* not of the user's, who frees last in, first out */
    return s->spare != NULL;
}

void wm_carrier_sync_end(struct wm_carrier *carrier)
{
    carrier_of(carrier)->ended = true;
}

size_t wm_carrier_sync_bytes(const struct wm_carrier *carrier)
{
    const struct sync_carrier *s = (const struct sync_carrier *)carrier;

    return block_bytes(s, &s->out) + (s->spare != NULL ? 2 : 1) * block_bytes(s, &s->in);
}

/* ---- made and freed ---- */

static char *grab(const convey_alc8r_t *alloc, size_t bytes)
{
    char *block;

    if (alloc->grab == NULL)
        return aligned_alloc(BLOCK_ALIGN, bytes);
    block = alloc->grab(alloc->alc8r, bytes, __FILE__, __LINE__);
    if (block == NULL || (uintptr_t)block % BLOCK_ALIGN == 0)
        return block;
    alloc->free(alloc->alc8r, block);
    return NULL;
}

static void let_go(const convey_alc8r_t *alloc, char *block)
{
    if (alloc->grab == NULL)
        free(block);
    else if (block != NULL)
        alloc->free(alloc->alc8r, block);
}

static void release_side(struct sync_carrier *s, struct side *side)
{
    let_go(s->alloc, side->block);
    free(side->lane);
    free(side->units);
    free(side->links);
}

static void free_carrier(struct wm_carrier *carrier)
{
    struct sync_carrier *s = carrier_of(carrier);

    free(s->spare);
    release_side(s, &s->in);
    release_side(s, &s->out);
    free(s->outlets);
    free(s->inlets);
    free(s);
}

static const struct wm_carrier_class sync_class = {
    .name = "synchronous",
    .open = open_outlet,
    .close = close_outlet,
    .end = end_outlet,
    .hungry = is_hungry,
    .take = take,
    .give = give,
    .rewind = rewind_carrier,
    .free = free_carrier,
};

static int compare_lanes(const void *left, const void *right)
{
    const struct lane *a = left, *b = right;

    return a->member != b->member ? (a->member < b->member ? -1 : 1)
                                  : (a->number > b->number) - (a->number < b->number);
}

/* `sending`: the receiver's numbers are the other end's. */
static void order_lanes(struct side *side, const struct wm_route_end *ends, int links, bool sending, const int *member)
{
    for (int link = 0; link < links; link++)
        if (ends[link].rank >= 0)
            side->lane[side->lanes++] = (struct lane){member[ends[link].rank], sending ? ends[link].link : link, link};
    qsort(side->lane, (size_t)side->lanes, sizeof *side->lane, compare_lanes);
    for (int i = 0; i < side->lanes; i++)
        side->links[side->lane[i].member]++;
}

static int init_side(struct sync_carrier *s, struct side *side, const struct wm_route_end *ends, int links,
                     const int *member)
{
    size_t members = (size_t)s->members;

    side->lane = calloc((size_t)links + 1, sizeof *side->lane);
    side->units = calloc((size_t)links + 1, sizeof *side->units);
    side->links = calloc(4 * members, sizeof *side->links);
    if (side->lane == NULL || side->units == NULL || side->links == NULL)
        return -WM_ENOMEM;
    side->before = side->links + members;
    side->words = side->before + members;
    side->places = side->words + members;
    order_lanes(side, ends, links, side == &s->out, member);
    for (int m = 1; m < s->members; m++)
        side->before[m] = side->before[m - 1] + side->links[m - 1];
    if (block_bytes(s, side) / WORD_BYTES > INT_MAX)
        return -WM_EINVAL;
    if (side->lanes > 0 && (side->block = grab(s->alloc, block_bytes(s, side))) == NULL)
        return -WM_ENOMEM;
    return 0;
}

/* An outlet's own number is not needed here: `inlet` has its lane. */
static void make_links(struct sync_carrier *s, const struct wm_carrier_links *l)
{
    for (int i = 0; i < s->out.lanes; i++) {
        int link = s->out.lane[i].link;

        s->outlets[link].base =
            (struct wm_outlet){.hot = &l->hot[link], .carrier = &s->base, .peer = l->hop->out[link].rank, .inlet = i};
        l->outlets[link] = &s->outlets[link].base;
    }
    for (int i = 0; i < s->in.lanes; i++) {
        int link = s->in.lane[i].link;

        s->inlets[link].base = (struct wm_inlet){.carrier = &s->base, .peer = l->hop->in[link].rank};
        l->inlets[link] = &s->inlets[link].base;
    }
}

static bool is_even(const struct sync_carrier *s)
{
    bool even = true;

    for (int m = 0; m < s->members; m++)
        even = even && s->out.links[m] == 1 && s->in.links[m] == 1;
    return even;
}

int wm_carrier_sync_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, MPI_Comm comm,
                        const int *member, const convey_alc8r_t *alloc)
{
    struct sync_carrier *s = calloc(1, sizeof *s);
    int rc = -WM_ENOMEM;

    if (s == NULL)
        return rc;
    *s = (struct sync_carrier){.base.class = &sync_class, .form = links->form, .alloc = alloc, .comm = comm};
    s->pitch = wm_convey_parcel_bytes(&s->form);
    PMPI_Comm_size(comm, &s->members);
    s->outlets = calloc((size_t)links->hop->links, sizeof *s->outlets);
    s->inlets = calloc((size_t)links->hop->links, sizeof *s->inlets);
    if (s->outlets != NULL && s->inlets != NULL)
        rc = init_side(s, &s->out, links->hop->out, links->hop->links, member);
    if (rc == 0)
        rc = init_side(s, &s->in, links->hop->in, links->hop->links, member);
    if (rc < 0) {
        free_carrier(&s->base);
        return rc;
    }
    make_links(s, links);
    s->even = is_even(s);
    *carrier = &s->base;
    return 0;
}
