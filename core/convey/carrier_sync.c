/* The carrier of a synchronous hop: its links, made, written, read and freed. */
#include "core/convey/carrier_sync_state.h"

#include <limits.h>
#include <stdlib.h>
#include "core/error.h"

static bool open_outlet(struct wm_outlet *out, size_t units)
{
    struct wm_sync_outlet *o = (struct wm_sync_outlet *)out;
    struct wm_sync_carrier *s = wm_sync_carrier(out->carrier);
    char *buffer = wm_sync_buffer(s, out->inlet);

    if (s->form.units - o->kept < (units > 0 ? units : 1)) {
        s->wanted = true;
        return false;
    }
    out->hot->at = out->open_at = buffer + o->kept * s->form.unit_bytes;
    out->hot->tag = wm_sync_tags(s, buffer) + o->kept * s->form.tag_bytes;
    out->hot->limit = buffer + s->form.units * s->form.unit_bytes;
    return true;
}

static bool close_outlet(struct wm_outlet *out, enum wm_convey_reason reason, size_t *bytes)
{
    struct wm_sync_outlet *o = (struct wm_sync_outlet *)out;
    struct wm_sync_carrier *s = wm_sync_carrier(out->carrier);
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

static bool take(struct wm_inlet *in)
{
    struct wm_sync_inlet *i = (struct wm_sync_inlet *)in;
    struct wm_sync_carrier *s = wm_sync_carrier(in->carrier);

    if (i->units == 0) {
        in->ended = s->ended;
        return false;
    }
    in->chunk = (struct wm_chunk){i->landed, NULL, i->units};
    if (s->form.tag_bytes > 0)
        in->chunk.tags = i->landed + wm_sync_round_up(i->units * s->form.unit_bytes, WM_SYNC_WORD_BYTES);
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
    struct wm_sync_carrier *s = wm_sync_carrier(carrier);

    (void)run;
    s->wanted = s->ended = false;
    for (int i = 0; i < s->out.lanes; i++)
        s->outlets[s->out.lane[i].link].kept = 0;
    for (int i = 0; i < s->in.lanes; i++)
        s->inlets[s->in.lane[i].link].units = 0;
}

/* ---- what the step wants to know ---- */

bool wm_carrier_sync_wanted(const struct wm_carrier *carrier)
{
    return ((const struct wm_sync_carrier *)carrier)->wanted;
}

bool wm_carrier_sync_loaded(const struct wm_carrier *carrier)
{
    const struct wm_sync_carrier *s = (const struct wm_sync_carrier *)carrier;

    for (int i = 0; i < s->out.lanes; i++) {
        const struct wm_sync_outlet *o = &s->outlets[s->out.lane[i].link];

        if (o->kept > 0 || (o->base.open_at != NULL && o->base.hot->at != o->base.open_at))
            return true;
    }
    return false;
}

bool wm_carrier_sync_landed(const struct wm_carrier *carrier)
{
    const struct wm_sync_carrier *s = (const struct wm_sync_carrier *)carrier;

    for (int i = 0; i < s->in.lanes; i++) {
        const struct wm_sync_inlet *in = &s->inlets[s->in.lane[i].link];

        if (in->units > 0 || (in->base.chunk.units > 0 && in->base.used < in->base.chunk.units))
            return true;
    }
    return false;
}

void wm_carrier_sync_end(struct wm_carrier *carrier)
{
    wm_sync_carrier(carrier)->ended = true;
}

/* ---- made and freed ---- */

static void release_side(struct wm_sync_carrier *s, struct wm_sync_side *side)
{
    wm_convey_store_give(s->store, side->block);
    free(side->lane);
    free(side->units);
    free(side->links);
}

static void free_carrier(struct wm_carrier *carrier)
{
    struct wm_sync_carrier *s = wm_sync_carrier(carrier);

    free(s->spare);
    release_side(s, &s->in);
    release_side(s, &s->out);
    free(s->outlets);
    free(s->inlets);
    free(s);
}

const struct wm_carrier_class wm_carrier_sync = {
    .name = "synchronous",
    .open = open_outlet,
    .close = close_outlet,
    .end = end_outlet,
    .hungry = is_hungry,
    .take = take,
    .give = give,
    .rewind = rewind_carrier,
    .progress = wm_carrier_no_progress,
    .idle = wm_carrier_is_idle,
    .error = wm_carrier_no_error,
    .free = free_carrier,
};

static int compare_lanes(const void *left, const void *right)
{
    const struct wm_sync_lane *a = left, *b = right;

    return a->member != b->member ? (a->member < b->member ? -1 : 1)
                                  : (a->number > b->number) - (a->number < b->number);
}

/* `sending`: the receiver's numbers are the other end's. */
static void order_lanes(struct wm_sync_side *side, const struct wm_route_end *ends, int links, bool sending,
                        const int *member)
{
    for (int link = 0; link < links; link++)
        if (ends[link].rank >= 0)
            side->lane[side->lanes++] =
                (struct wm_sync_lane){member[ends[link].rank], sending ? ends[link].link : link, link};
    qsort(side->lane, (size_t)side->lanes, sizeof *side->lane, compare_lanes);
    for (int i = 0; i < side->lanes; i++)
        side->links[side->lane[i].member]++;
}

static int init_side(struct wm_sync_carrier *s, struct wm_sync_side *side, const struct wm_route_end *ends, int links,
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
    if (wm_sync_block_bytes(s, side) / WM_SYNC_WORD_BYTES > INT_MAX)
        return -WM_EINVAL;
    if (side->lanes > 0 && (side->block = wm_convey_store_take(s->store, wm_sync_block_bytes(s, side))) == NULL)
        return -WM_ENOMEM;
    return 0;
}

/* An outlet's own number is not needed here: `inlet` has its lane. */
static void make_links(struct wm_sync_carrier *s, const struct wm_carrier_links *l)
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

static bool is_even(const struct wm_sync_carrier *s)
{
    bool even = true;

    for (int m = 0; m < s->members; m++)
        even = even && s->out.links[m] == 1 && s->in.links[m] == 1;
    return even;
}

int wm_carrier_sync_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, MPI_Comm comm,
                        const int *member, struct wm_convey_store *store)
{
    struct wm_sync_carrier *s = calloc(1, sizeof *s);
    int rc = -WM_ENOMEM;

    if (s == NULL)
        return rc;
    *s = (struct wm_sync_carrier){.base.class = &wm_carrier_sync, .form = links->form, .store = store, .comm = comm};
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
