/* Relays: items that a hop's inlets bring go to the next hop's outlets.
 *
 * The loop is made once for each common size of item and width of tag. Where an outlet has no room its inlet waits, and
 * the others go on. */
#include "core/convey/elastic.h"
#include "core/convey/spread.h"
#include "core/convey/state.h"
#include "core/convey/tag.h"
#include "core/convey/trace.h"

/* Units from `from` to `to` of the chunk; returns the first that found no room, or `to`. */
static inline __attribute__((always_inline)) size_t move_units(struct wm_conveyor *c, const struct wm_chunk *chunk,
                                                               struct wm_route_turn turn, size_t from, size_t to,
                                                               size_t stride, size_t tag_bytes)
{
    struct wm_convey_outlet *outlets = c->hot + turn.base;
    const char *items = chunk->items, *tags = chunk->tags;

    for (size_t i = from; i < to; i++) {
        uint32_t tag = wm_tag_read(tags, i, tag_bytes);
        struct wm_convey_outlet *out = &outlets[tag & turn.mask];

        if (out->at == out->limit && !wm_flow_room(c, out->link, 1))
            return i;
        memcpy(out->at, items + i * stride, stride);
        out->at += stride;
        if (tag_bytes > 0)
            wm_tag_write(out, tag >> turn.shift | turn.add, tag_bytes);
    }
    return to;
}

#define MOVE(stride, tag_bytes) move_units(c, &in->chunk, turn, from, to, stride, tag_bytes)

static size_t move_singly(struct wm_conveyor *c, struct wm_inlet *in, struct wm_route_turn turn, size_t from, size_t to)
{
    size_t stride = c->form.unit_bytes, tag_bytes = c->form.tag_bytes;

    if (tag_bytes == 1)
        return stride == 8 ? MOVE(8, 1) : stride == 16 ? MOVE(16, 1) : stride == 32 ? MOVE(32, 1) : MOVE(stride, 1);
    if (tag_bytes == 2)
        return stride == 8 ? MOVE(8, 2) : stride == 16 ? MOVE(16, 2) : stride == 32 ? MOVE(32, 2) : MOVE(stride, 2);
    return MOVE(stride, tag_bytes);
}

/* Units from in->used on; by groups, and one by one where a buffer ends. Returns as move_units. */
static size_t move_to(struct wm_conveyor *c, struct wm_inlet *in, struct wm_route_turn turn, size_t to)
{
    size_t stride = c->form.unit_bytes, at = in->used;

    if (!wm_spread_serves(stride, c->form.tag_bytes, turn))
        return move_singly(c, in, turn, at, to);
    while (at < to) {
        size_t end;

        at += wm_spread(c->hot + turn.base, in->chunk.items + at * stride, in->chunk.tags + at, to - at, stride, turn);
        end = to - at < WM_SPREAD_GROUP ? to : at + WM_SPREAD_GROUP;
        at = move_singly(c, in, turn, at, end);
        if (at < end)
            break;
    }
    return at;
}

/* The sampled item goes on with its time. */
static void pass_sample(struct wm_conveyor *c, struct wm_inlet *in, struct wm_route_turn turn)
{
    uint32_t tag = wm_tag_read(in->chunk.tags, in->used, c->form.tag_bytes);
    struct wm_convey_outlet *out = &c->hot[turn.base + (int)(tag & turn.mask)];

    if (out->at != out->limit || wm_flow_room(c, out->link, 1))
        wm_convey_trace_relay(c, in, out->link);
}

static size_t relay_chunk(struct wm_conveyor *c, struct wm_inlet *in, struct wm_route_turn turn)
{
    size_t before = in->used, at = (size_t)(in->sample.position - in->taken);

    if (in->sample.ticks != 0 && at >= in->used && at < in->chunk.units) {
        in->used = move_to(c, in, turn, at);
        if (in->used == at)
            pass_sample(c, in, turn);
        else
            return in->used - before;
    }
    in->used = move_to(c, in, turn, in->chunk.units);
    return in->used - before;
}

/* All that one inlet has. */
static size_t relay_inlet(struct wm_conveyor *c, int hop, int link)
{
    struct wm_convey_hop *h = &c->hops[hop];
    struct wm_inlet *in = h->inlets[link];
    struct wm_route_turn turn = wm_route_turn(c->route, hop, link);
    size_t moved = 0;

    while (!in->ended) {
        if (in->chunk.units == 0 && !wm_flow_take(c, in))
            break;
        moved += c->form.elastic ? wm_elastic_relay(c, in, turn) : relay_chunk(c, in, turn);
        if (in->urgent)
            wm_flow_urge_hop(c, hop + 1);
        if (in->used < in->chunk.units)
            break;
        wm_flow_give(c, in);
    }
    h->open_inlets -= in->ended;
    return moved;
}

size_t wm_relay(struct wm_conveyor *c, int hop)
{
    struct wm_convey_hop *h = &c->hops[hop];
    size_t moved = 0;

    if (c->trace != NULL)
        wm_convey_trace_relaying(c, true);
    for (int i = 0, link = h->turn; i < h->route->links; i++, link = link + 1 < h->route->links ? link + 1 : 0)
        if (h->inlets[link] != NULL && !h->inlets[link]->ended)
            moved += relay_inlet(c, hop, link);
    if (c->trace != NULL)
        wm_convey_trace_relaying(c, false);
    if (++h->turn >= h->route->links)
        h->turn = 0;
    c->relayed += (int64_t)moved;
    return moved;
}
