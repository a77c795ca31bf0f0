/* The carrier of a node's memory: rings that the outlet writes and the inlet reads in place. */
#include "core/convey/carrier_shm.h"

#include <stdlib.h>
#include "core/error.h"

/* Of a ring's counter: the low bits count units, those above mark the run that is over. */
#define COUNT_BITS 48
#define COUNT(head) ((head) & ((UINT64_C(1) << COUNT_BITS) - 1))

#define SKIP_NONE UINT64_MAX

/* The ring as one end sees it. */
struct end {
    struct wm_convey_ring *ring;
    char *units, *tags;
    size_t stride, tag_bytes, buffer, room; /* units that are handed over together at most; of the ring */
    uint64_t position;                      /* units written or read, over all runs */
    size_t index;                           /* position in the ring */
    bool elastic;
};

struct shm_outlet {
    struct wm_outlet base;
    struct end end;
    uint64_t tail; /* as far as is known */
};

struct shm_inlet {
    struct wm_inlet base;
    struct end end;
};

_Static_assert(sizeof(struct shm_outlet) <= WM_CONVEY_OUTLET_BYTES, "as core/plan/convey/form.h computes");
_Static_assert(sizeof(struct shm_inlet) <= WM_CONVEY_INLET_BYTES, "as core/plan/convey/form.h computes");

struct shm_carrier {
    struct wm_carrier base;
    unsigned run;
    struct shm_outlet *outlets;
    struct shm_inlet *inlets;
};

static struct end end_of(struct wm_convey_ring *ring, const struct wm_convey_form *form)
{
    size_t room = form->units * (size_t)form->buffers;

    return (struct end){.ring = ring,
                        .units = ring->units,
                        .tags = ring->units + room * form->unit_bytes,
                        .stride = form->unit_bytes,
                        .tag_bytes = form->tag_bytes,
                        .buffer = wm_convey_ring_units(form),
                        .room = room,
                        .elastic = form->elastic};
}

static void move(struct end *e, size_t units)
{
    e->position += units;
    e->index += units;
    if (e->index >= e->room)
        e->index -= e->room;
}

/* Is there room for so many units? */
static bool has_room(struct shm_outlet *o, size_t units)
{
    if (o->end.room - (o->end.position - o->tail) >= units)
        return true;
    o->tail = atomic_load_explicit(&o->end.ring->tail, memory_order_acquire);
    return o->end.room - (o->end.position - o->tail) >= units;
}

/* A record must stand in one piece. */
static bool skip_to_begin(struct shm_outlet *o, size_t units)
{
    size_t rest = o->end.room - o->end.index;

    if (!has_room(o, rest + units))
        return false;
    atomic_store_explicit(&o->end.ring->skip, o->end.position, memory_order_relaxed);
    move(&o->end, rest);
    return true;
}

/* Units in one piece from here on: to the end of the buffer, of the ring, of what is free. */
static size_t piece(const struct shm_outlet *o, size_t units)
{
    const struct end *e = &o->end;
    size_t free_units = e->room - (e->position - o->tail), to_end = e->room - e->index;
    size_t to_boundary = e->buffer - e->index % e->buffer, most = free_units < to_end ? free_units : to_end;

    if (to_boundary < units)
        to_boundary = most; /* a record that crosses a boundary opens the next buffer, too */
    return most < to_boundary ? most : to_boundary;
}

static bool open_outlet(struct wm_outlet *out, size_t units)
{
    struct shm_outlet *o = (struct shm_outlet *)out;
    struct end *e = &o->end;
    struct wm_convey_outlet *hot = out->hot;
    size_t least = units > 0 ? units : 1;

    if (e->room - e->index < least && !skip_to_begin(o, least))
        return false;
    if (!has_room(o, least))
        return false;
    hot->at = out->open_at = e->units + e->index * e->stride;
    hot->tag = e->tags + e->index * e->tag_bytes;
    hot->limit = hot->at + piece(o, least) * e->stride;
    return true;
}

static void hand_sample(struct wm_outlet *out, struct wm_convey_ring *ring)
{
    if (out->sample.ticks != 0 && atomic_load_explicit(&ring->sample_ticks, memory_order_acquire) == 0) {
        ring->sample_position = out->sample.position;
        atomic_store_explicit(&ring->sample_ticks, out->sample.ticks, memory_order_release);
    }
    out->sample.ticks = 0;
}

static bool close_outlet(struct wm_outlet *out, enum wm_convey_reason reason, size_t *bytes)
{
    struct shm_outlet *o = (struct shm_outlet *)out;
    struct end *e = &o->end;
    size_t units = (size_t)(out->hot->at - out->open_at) / e->stride;

    (void)reason;
    *bytes = units * (e->stride + e->tag_bytes);
    out->hot->limit = out->hot->at;
    out->open_at = NULL;
    if (units == 0)
        return true;
    hand_sample(out, e->ring);
    move(e, units);
    if (out->urgent)
        atomic_store_explicit(&e->ring->urgent, e->position, memory_order_relaxed);
    out->handed += units;
    atomic_store_explicit(&e->ring->head, e->position, memory_order_release);
    return true;
}

static bool end_outlet(struct wm_outlet *out)
{
    struct shm_outlet *o = (struct shm_outlet *)out;
    uint64_t mark = (uint64_t)((struct shm_carrier *)out->carrier)->run << COUNT_BITS;

    atomic_store_explicit(&o->end.ring->head, mark | o->end.position, memory_order_release);
    return true;
}

static bool is_hungry(const struct wm_outlet *out)
{
    const struct shm_outlet *o = (const struct shm_outlet *)out;

    const struct wm_convey_ring *ring = o->end.ring;

    /* Not the outlet's position: having skipped to the ring's beginning it is ahead of what it handed over. */
    return atomic_load_explicit(&ring->tail, memory_order_relaxed) ==
           COUNT(atomic_load_explicit(&ring->head, memory_order_relaxed));
}

static void take_sample(struct wm_inlet *in, struct wm_convey_ring *ring)
{
    uint64_t ticks = atomic_load_explicit(&ring->sample_ticks, memory_order_acquire);

    in->sample.ticks = 0;
    if (ticks == 0 || ring->sample_position >= in->taken + in->chunk.units)
        return;
    in->sample = (struct wm_convey_sample){ticks, ring->sample_position};
    atomic_store_explicit(&ring->sample_ticks, 0, memory_order_release);
}

/* The outlet went on at the ring's beginning. */
static void follow_skip(struct end *e)
{
    if (atomic_load_explicit(&e->ring->skip, memory_order_relaxed) == e->position)
        move(e, e->room - e->index);
}

/* Units that stand together from the inlet's position on, of `there` in all. Not above a buffer, so that room comes
 * back early, where that cuts no record. */
static size_t together(const struct end *e, uint64_t there)
{
    uint64_t skip = atomic_load_explicit(&e->ring->skip, memory_order_relaxed);
    size_t units = e->room - e->index;

    if (units > there)
        units = there;
    if (skip > e->position && skip - e->position < units)
        units = skip - e->position;
    return units < e->buffer || e->elastic ? units : e->buffer;
}

static bool take(struct wm_inlet *in)
{
    struct end *e = &((struct shm_inlet *)in)->end;
    uint64_t head = atomic_load_explicit(&e->ring->head, memory_order_acquire);

    if (COUNT(head) != e->position)
        follow_skip(e);
    if (COUNT(head) == e->position) {
        in->ended = head >> COUNT_BITS == ((struct shm_carrier *)in->carrier)->run;
        return false;
    }
    in->chunk.units = together(e, COUNT(head) - e->position);
    in->chunk.items = e->units + e->index * e->stride;
    in->chunk.tags = e->tag_bytes > 0 ? e->tags + e->index * e->tag_bytes : NULL;
    in->used = 0;
    in->urgent = atomic_load_explicit(&e->ring->urgent, memory_order_relaxed) > e->position;
    take_sample(in, e->ring);
    return true;
}

static void give(struct wm_inlet *in)
{
    struct end *e = &((struct shm_inlet *)in)->end;

    in->taken += in->chunk.units;
    move(e, in->chunk.units);
    in->chunk.units = 0;
    atomic_store_explicit(&e->ring->tail, e->position, memory_order_release);
}

static void rewind_carrier(struct wm_carrier *carrier, unsigned run)
{
    ((struct shm_carrier *)carrier)->run = run;
}

static void free_carrier(struct wm_carrier *carrier)
{
    struct shm_carrier *s = (struct shm_carrier *)carrier;

    free(s->outlets);
    free(s->inlets);
    free(s);
}

const struct wm_carrier_class wm_carrier_shm = {
    .name = "shm",
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

static struct wm_convey_ring *ring_at(char *const *rings_of_rank, int rank, int link, const struct wm_convey_form *form)
{
    return (struct wm_convey_ring *)(void *)(rings_of_rank[rank] + (size_t)link * wm_convey_ring_bytes(form));
}

static void make_outlets(struct shm_carrier *s, const struct wm_carrier_links *l, char *const *rings_of_rank)
{
    for (int link = 0; link < l->hop->links; link++) {
        const struct wm_route_end *to = &l->hop->out[link];
        struct shm_outlet *o = &s->outlets[link];

        if (!l->out_mine[link])
            continue;
        o->base = (struct wm_outlet){.hot = &l->hot[link], .carrier = &s->base, .peer = to->rank, .inlet = to->link};
        o->end = end_of(ring_at(rings_of_rank, to->rank, to->link, &l->form), &l->form);
        l->outlets[link] = &o->base;
    }
}

/* Its memory may have been another's. */
static void clear_ring(struct wm_convey_ring *ring)
{
    atomic_store_explicit(&ring->head, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->tail, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->skip, SKIP_NONE, memory_order_relaxed);
    atomic_store_explicit(&ring->sample_ticks, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->urgent, 0, memory_order_relaxed);
}

static void make_inlets(struct shm_carrier *s, const struct wm_carrier_links *l, char *const *rings_of_rank, int self)
{
    for (int link = 0; link < l->hop->links; link++) {
        struct shm_inlet *i = &s->inlets[link];

        if (!l->in_mine[link])
            continue;
        i->base = (struct wm_inlet){.carrier = &s->base, .peer = l->hop->in[link].rank};
        i->end = end_of(ring_at(rings_of_rank, self, link, &l->form), &l->form);
        clear_ring(i->end.ring);
        l->inlets[link] = &i->base;
    }
}

int wm_carrier_shm_new(struct wm_carrier **carrier, const struct wm_carrier_links *links, char *const *rings_of_rank,
                       int self)
{
    struct shm_carrier *s = calloc(1, sizeof *s);

    *carrier = NULL;
    if (s == NULL)
        return -WM_ENOMEM;
    s->base.class = &wm_carrier_shm;
    s->run = 1;
    s->outlets = calloc((size_t)links->hop->links, sizeof *s->outlets);
    s->inlets = calloc((size_t)links->hop->links, sizeof *s->inlets);
    if (s->outlets == NULL || s->inlets == NULL) {
        free_carrier(&s->base);
        return -WM_ENOMEM;
    }
    make_outlets(s, links, rings_of_rank);
    make_inlets(s, links, rings_of_rank, self);
    *carrier = &s->base;
    return 0;
}
