/* The carrier of messages: buffers are parcels that MPI brings to the other end.
 *
 * An outlet fills a parcel in place; a full one has its tags right behind its units, a partial one moves them there
 * before it goes. An inlet reads the parcel that was received in place, and posts it again when it is given back.
 *
 * Why no hop stops for ever, however small its pools: an outlet has one parcel for sure, which comes back when the
 * receiver matches it, and so needs nothing but a free parcel there. Those are shared by all inlets, and one whose
 * reader is stalled may hold them all; but a reader waits only for room in a later hop or for the user's pull, never
 * for another inlet of this hop (core/plan/convey/route.h), and a monster travels beside the hops. The last hop moves
 * since the user pulls; then the hop before it moves, and so back. Which inlet holds a parcel does not matter for that.
 *
 * What is closed in endgame is parked until `end` comes, so that the last data say that they are the last; anything
 * else that happens first sends it as it is. Parcels are numbered on through all runs: those of a run that others began
 * earlier wait behind the end of this one. */
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/convey/carrier.h"
#include "core/convey/packer.h"
#include "core/net/parcels.h"

enum parcel_flags { PARCEL_LAST = 1, PARCEL_PACKED = 2, PARCEL_URGENT = 4, PARCEL_HELD = 8 };
_Static_assert((int)WM_CONVEY_DUE_BYTES == (int)sizeof(struct wm_due), "as core/plan/convey/form.h computes");

struct parcel_head {
    uint32_t inlet;        /* the link's number at the receiver */
    uint32_t number;       /* of this parcel on its link; wraps */
    uint32_t flags, sum;   /* sum: of the plain body, if a codec that is not ours packed it */
    uint64_t first, units; /* number of the first unit on the link in this run */
    uint64_t packed_bytes;
    uint64_t sample_ticks, sample_position;
    uint64_t opened_ticks; /* when its outlet opened it, by the sender's clock; 0: not traced */
};
_Static_assert(sizeof(struct parcel_head) == WM_CONVEY_HEADER_BYTES, "the body is aligned as the head is");
_Static_assert((int)WM_CONVEY_HEADER_BYTES == (int)WM_PARCEL_HEAD_BYTES, "as core/plan/convey/form.h computes");

struct mpi_outlet {
    struct wm_outlet base;
    struct wm_parcel_share share;
    struct wm_parcel *open, *parked;
    size_t parked_bytes;
    uint32_t next; /* number of the next parcel */
    struct wm_packer_end packing;
};

struct mpi_inlet {
    struct wm_inlet base;
    struct wm_parcel *waiting; /* in the order of their numbers */
    struct wm_parcel *taken;   /* what the chunk stands in */
    uint32_t next;
    bool over; /* what was taken last is the last */
    struct wm_packer_end packing;
};

struct mpi_carrier {
    struct wm_carrier base;
    struct wm_convey_form form;
    int links, parked;
    size_t body_bytes;
    struct mpi_outlet *outlets; /* [links] */
    struct mpi_inlet *inlets;
    struct wm_parcels *parcels;
    struct wm_convey_store *store;
    char *memory;             /* of the parcels, the store's */
    struct wm_packer *packer; /* NULL: nothing is compressed */
    int self;
    const int *apart; /* NULL: nothing is held */
    struct wm_uplink *uplink;
    bool nonsense; /* a head came that none of ours has */
};

static struct parcel_head *head_of(const struct wm_parcel *parcel)
{
    return parcel->head;
}

static struct mpi_carrier *carrier_of(const struct wm_outlet *out)
{
    return (struct mpi_carrier *)out->carrier;
}

/* ---- outlets ---- */

/* When it is due stands behind its body, where it crosses the axis. */
static void send_parcel(struct mpi_carrier *m, struct mpi_outlet *o, struct wm_parcel *parcel, size_t bytes)
{
    struct parcel_head *head = head_of(parcel);
    int peer = o->base.peer;
    struct wm_due due;

    if (m->apart != NULL && m->apart[peer] != m->apart[m->self]) {
        due = wm_uplink_send(m->uplink, m->self, peer, head->number, bytes);
        memcpy(wm_parcel_body(parcel) + bytes, &due, sizeof due);
        head->flags |= PARCEL_HELD;
        bytes += sizeof due;
    }
    wm_parcels_send(m->parcels, parcel, peer, bytes);
}

static void send_parked(struct mpi_carrier *m, struct mpi_outlet *o)
{
    struct wm_parcel *parcel = o->parked;

    o->parked = NULL;
    m->parked--;
    send_parcel(m, o, parcel, o->parked_bytes);
}

static void send_all_parked(struct mpi_carrier *m)
{
    for (int link = 0; link < m->links && m->parked > 0; link++)
        if (m->outlets[link].parked != NULL)
            send_parked(m, &m->outlets[link]);
}

static bool open_outlet(struct wm_outlet *out, size_t units)
{
    struct mpi_carrier *m = carrier_of(out);
    struct mpi_outlet *o = (struct mpi_outlet *)out;

    if (o->parked != NULL)
        send_parked(m, o);
    if (units > m->form.units || (o->open = wm_parcels_get(m->parcels, &o->share)) == NULL)
        return false;
    out->open_at = out->hot->at = wm_parcel_body(o->open);
    out->hot->limit = out->hot->at + m->form.units * m->form.unit_bytes;
    out->hot->tag = out->hot->limit;
    return true;
}

static bool may_send(const struct mpi_carrier *m, const struct mpi_outlet *o)
{
    return o->share.flying + (o->parked != NULL) < m->form.buffers;
}

static void write_head(struct mpi_outlet *o, struct wm_parcel *parcel, size_t units, uint32_t flags)
{
    struct wm_outlet *out = &o->base;

    *head_of(parcel) = (struct parcel_head){.inlet = (uint32_t)out->inlet,
                                            .number = o->next++,
                                            .flags = flags,
                                            .first = out->handed,
                                            .units = units,
                                            .sample_ticks = out->sample.ticks,
                                            .sample_position = out->sample.position,
                                            .opened_ticks = out->opened_ticks};
    out->sample.ticks = 0;
}

/* Make the body what is to travel; returns its bytes. */
static size_t wrap_body(struct mpi_carrier *m, struct mpi_outlet *o, size_t units)
{
    char *body = wm_parcel_body(o->open);
    size_t unit_bytes = m->form.unit_bytes, tag_bytes = m->form.tag_bytes, bytes = 0;

    if (tag_bytes > 0 && units < m->form.units)
        memmove(body + units * unit_bytes, body + m->form.units * unit_bytes, units * tag_bytes);
    if (m->packer != NULL)
        bytes = wm_packer_pack(m->packer, &o->packing, body, units, &head_of(o->open)->sum);
    if (bytes == 0)
        return units * (unit_bytes + tag_bytes);
    head_of(o->open)->flags |= PARCEL_PACKED;
    head_of(o->open)->packed_bytes = bytes;
    return bytes;
}

static void leave_closed(struct mpi_outlet *o)
{
    o->open = NULL;
    o->base.open_at = NULL;
    o->base.hot->limit = o->base.hot->at;
}

static bool close_outlet(struct wm_outlet *out, enum wm_convey_reason reason, size_t *bytes)
{
    struct mpi_carrier *m = carrier_of(out);
    struct mpi_outlet *o = (struct mpi_outlet *)out;
    size_t units = (size_t)(out->hot->at - out->open_at) / m->form.unit_bytes;

    *bytes = 0;
    if (units == 0) {
        wm_parcels_put(m->parcels, o->open);
        leave_closed(o);
        return true;
    }
    if (!may_send(m, o))
        return false;
    write_head(o, o->open, units, out->urgent ? PARCEL_URGENT : 0);
    *bytes = o->parked_bytes = wrap_body(m, o, units);
    o->parked = o->open;
    m->parked++;
    leave_closed(o);
    out->handed += units;
    if (reason != WM_REASON_ENDGAME)
        send_parked(m, o);
    return true;
}

static bool end_outlet(struct wm_outlet *out)
{
    struct mpi_carrier *m = carrier_of(out);
    struct mpi_outlet *o = (struct mpi_outlet *)out;
    struct wm_parcel *parcel;

    if (o->parked != NULL) {
        head_of(o->parked)->flags |= PARCEL_LAST;
        send_parked(m, o);
        return true;
    }
    if (!may_send(m, o) || (parcel = wm_parcels_get(m->parcels, &o->share)) == NULL)
        return false;
    write_head(o, parcel, 0, PARCEL_LAST);
    send_parcel(m, o, parcel, 0);
    return true;
}

static bool is_hungry(const struct wm_outlet *out)
{
    const struct mpi_outlet *o = (const struct mpi_outlet *)out;

    return o->share.flying == 0 && o->parked == NULL;
}

/* ---- inlets ---- */

static bool makes_sense(const struct mpi_carrier *m, const struct parcel_head *head)
{
    if (head->inlet >= (uint32_t)m->links || m->inlets[head->inlet].base.carrier == NULL)
        return false;
    if (head->flags & PARCEL_PACKED && (m->packer == NULL || head->packed_bytes > m->body_bytes))
        return false;
    return head->units <= m->form.units;
}

static size_t bytes_of(const struct mpi_carrier *m, const struct parcel_head *head)
{
    return head->flags & PARCEL_PACKED ? head->packed_bytes : head->units * (m->form.unit_bytes + m->form.tag_bytes);
}

/* From now on its due time is by this host's clock. */
static void hold_parcel(const struct mpi_carrier *m, struct wm_parcel *parcel)
{
    char *at = wm_parcel_body(parcel) + bytes_of(m, head_of(parcel));
    struct wm_due due;

    memcpy(&due, at, sizeof due);
    due.due_ns = wm_due_here(&due);
    memcpy(at, &due, sizeof due);
}

static bool is_due(const struct mpi_carrier *m, struct wm_parcel *parcel)
{
    struct wm_due due;

    if (!(head_of(parcel)->flags & PARCEL_HELD))
        return true;
    memcpy(&due, wm_parcel_body(parcel) + bytes_of(m, head_of(parcel)), sizeof due);
    return due.due_ns <= wm_due_clock();
}

/* Large ones may be complete before those that were sent before them. */
static void file_parcel(struct mpi_carrier *m, struct wm_parcel *parcel)
{
    struct wm_parcel **place;

    if (!makes_sense(m, head_of(parcel))) {
        m->nonsense = true;
        wm_parcels_post(m->parcels, parcel);
        return;
    }
    if (head_of(parcel)->flags & PARCEL_HELD)
        hold_parcel(m, parcel);
    place = &m->inlets[head_of(parcel)->inlet].waiting;
    while (*place != NULL && (int32_t)(head_of(*place)->number - head_of(parcel)->number) < 0)
        place = &(*place)->next;
    parcel->next = *place;
    *place = parcel;
}

static struct wm_parcel *next_parcel(const struct mpi_carrier *m, struct mpi_inlet *i)
{
    struct wm_parcel *parcel = i->waiting;

    if (parcel == NULL || head_of(parcel)->number != i->next || !is_due(m, parcel))
        return NULL;
    i->waiting = parcel->next;
    i->next++;
    i->over = head_of(parcel)->flags & PARCEL_LAST;
    return parcel;
}

static bool unwrap(struct mpi_carrier *m, struct mpi_inlet *i, struct wm_parcel *parcel)
{
    struct parcel_head *head = head_of(parcel);

    if (head->units == 0)
        return false;
    if (!(head->flags & PARCEL_PACKED))
        return true;
    return wm_packer_unpack(m->packer, &i->packing, wm_parcel_body(parcel), head->units, head->packed_bytes, head->sum);
}

static void show_chunk(struct mpi_carrier *m, struct mpi_inlet *i, struct wm_parcel *parcel)
{
    struct parcel_head *head = head_of(parcel);
    char *body = wm_parcel_body(parcel);

    i->taken = parcel;
    i->base.used = 0;
    i->base.urgent = (head->flags & PARCEL_URGENT) != 0;
    i->base.sample = (struct wm_convey_sample){head->sample_ticks, head->sample_position};
    i->base.chunk = (struct wm_chunk){.items = body,
                                      .tags = m->form.tag_bytes > 0 ? body + head->units * m->form.unit_bytes : NULL,
                                      .units = head->units};
}

static bool take(struct wm_inlet *in)
{
    struct mpi_carrier *m = (struct mpi_carrier *)in->carrier;
    struct mpi_inlet *i = (struct mpi_inlet *)in;
    struct wm_parcel *parcel;

    if (!in->ended && !i->over && (parcel = next_parcel(m, i)) != NULL) {
        if (unwrap(m, i, parcel)) {
            show_chunk(m, i, parcel);
            return true;
        }
        wm_parcels_post(m->parcels, parcel);
    }
    if (i->over)
        in->ended = true;
    i->over = false;
    return false;
}

static void give(struct wm_inlet *in)
{
    struct mpi_inlet *i = (struct mpi_inlet *)in;

    in->taken += in->chunk.units;
    in->chunk.units = 0;
    wm_parcels_post(((struct mpi_carrier *)in->carrier)->parcels, i->taken);
    i->taken = NULL;
}

/* ---- the carrier ---- */

/* Numbers of parcels go on, and nothing else of the carrier's own belongs to a run. */
static void rewind_carrier(struct wm_carrier *carrier, unsigned run)
{
    (void)carrier;
    (void)run;
}

static bool progress(struct wm_carrier *carrier)
{
    struct mpi_carrier *m = (struct mpi_carrier *)carrier;
    struct wm_parcel *parcel;

    send_all_parked(m);
    if (!wm_parcels_progress(m->parcels))
        return false;
    while ((parcel = wm_parcels_arrived(m->parcels)) != NULL)
        file_parcel(m, parcel);
    return true;
}

static bool is_idle(const struct wm_carrier *carrier)
{
    const struct mpi_carrier *m = (const struct mpi_carrier *)carrier;

    return m->parked == 0 && wm_parcels_idle(m->parcels);
}

static int error(const struct wm_carrier *carrier)
{
    const struct mpi_carrier *m = (const struct mpi_carrier *)carrier;
    int rc = wm_parcels_error(m->parcels);

    if (rc != MPI_SUCCESS)
        return rc;
    if (m->packer != NULL && wm_packer_broken(m->packer))
        return convey_error_CODEC;
    return m->nonsense ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* What flies after an error keeps its memory. */
static void free_parcels(struct mpi_carrier *m)
{
    bool idle = m->parcels == NULL || wm_parcels_idle(m->parcels);

    wm_parcels_free(m->parcels);
    if (idle)
        wm_convey_store_give(m->store, m->memory);
}

static void free_carrier(struct wm_carrier *carrier)
{
    struct mpi_carrier *m = (struct mpi_carrier *)carrier;

    if (m->packer != NULL)
        for (int link = 0; link < m->links; link++) {
            if (m->outlets[link].base.carrier != NULL)
                wm_packer_unlink(m->packer, &m->outlets[link].packing);
            if (m->inlets[link].base.carrier != NULL)
                wm_packer_unlink(m->packer, &m->inlets[link].packing);
        }
    wm_packer_free(m->packer);
    if (m->memory != NULL)
        free_parcels(m);
    free(m->outlets);
    free(m->inlets);
    free(m);
}

const struct wm_carrier_class wm_carrier_mpi = {
    .name = "mpi",
    .open = open_outlet,
    .close = close_outlet,
    .end = end_outlet,
    .hungry = is_hungry,
    .take = take,
    .give = give,
    .rewind = rewind_carrier,
    .progress = progress,
    .idle = is_idle,
    .error = error,
    .free = free_carrier,
};

static void make_links(struct mpi_carrier *m, const struct wm_carrier_links *l)
{
    for (int link = 0; link < m->links; link++) {
        const struct wm_route_end *to = &l->hop->out[link];
        struct mpi_outlet *o = &m->outlets[link];
        struct mpi_inlet *i = &m->inlets[link];

        if (l->out_mine[link]) {
            o->base =
                (struct wm_outlet){.hot = &l->hot[link], .carrier = &m->base, .peer = to->rank, .inlet = to->link};
            l->outlets[link] = &o->base;
        }
        if (l->in_mine[link]) {
            i->base = (struct wm_inlet){.carrier = &m->base, .peer = l->hop->in[link].rank};
            l->inlets[link] = &i->base;
        }
        if (m->packer != NULL && l->out_mine[link])
            wm_packer_link(m->packer, &o->packing, false);
        if (m->packer != NULL && l->in_mine[link])
            wm_packer_link(m->packer, &i->packing, true);
    }
}

static int count_true(const bool *which, int count)
{
    int n = 0;

    for (int i = 0; i < count; i++)
        n += which[i];
    return n;
}

static int make_parcels(struct mpi_carrier *m, const struct wm_carrier_links *l, MPI_Comm comm)
{
    int out = count_true(l->out_mine, m->links), in = count_true(l->in_mine, m->links);
    struct wm_parcels_form form = {.bytes = m->body_bytes + WM_PARCEL_HEAD_BYTES,
                                   .links = out,
                                   .out = out > 0 ? wm_convey_parcels_out(&m->form, out) : 0,
                                   .in = in > 0 ? wm_convey_parcels_in(&m->form, in) : 0,
                                   .tag = l->number,
                                   .comm = comm};
    size_t count = (size_t)(form.out + form.in);

    form.memory = m->memory = wm_convey_store_take(m->store, (count > 0 ? count : 1) * form.bytes);
    return form.memory != NULL ? wm_parcels_new(&m->parcels, &form) : -WM_ENOMEM;
}

int wm_carrier_mpi_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, MPI_Comm comm,
                       struct wm_convey_store *store, const struct wm_convey_packing *packing)
{
    struct mpi_carrier *m = calloc(1, sizeof *m);
    int rc = -WM_ENOMEM;

    *carrier = NULL;
    if (m == NULL)
        return rc;
    m->base.class = &wm_carrier_mpi;
    m->form = links->form;
    m->links = links->hop->links;
    m->store = store;
    m->self = links->self;
    m->apart = links->apart;
    m->uplink = links->uplink;
    m->body_bytes = wm_convey_parcel_bytes(&m->form) - WM_PARCEL_HEAD_BYTES;
    m->outlets = calloc((size_t)m->links, sizeof *m->outlets);
    m->inlets = calloc((size_t)m->links, sizeof *m->inlets);
    if (m->outlets == NULL || m->inlets == NULL)
        goto out;
    if ((rc = make_parcels(m, links, comm)) < 0)
        goto out;
    if (packing != NULL && packing->codec != NULL)
        rc = wm_packer_new(&m->packer, &m->form, packing);
    if (rc < 0)
        goto out;
    make_links(m, links);
    *carrier = &m->base;
    return 0;
out:
    free_carrier(&m->base);
    return rc;
}
