/* What a conveyor has counted. Inlined pushes and pulls count nothing: links know how far they are. */
#include "core/convey/state.h"

static uint64_t open_units(const struct wm_conveyor *c, const struct wm_outlet *out)
{
    return out->open_at != NULL ? (uint64_t)(out->hot->at - out->open_at) / c->form.unit_bytes : 0;
}

uint64_t wm_convey_written(const struct wm_conveyor *c)
{
    uint64_t units = 0;

    for (int hop = 0; hop < c->hop_count; hop++)
        for (int link = 0; link < c->hops[hop].route->links; link++) {
            const struct wm_outlet *out = c->hops[hop].outlets[link];

            if (out != NULL)
                units += out->handed + open_units(c, out);
        }
    return units;
}

int64_t wm_convey_pushed(const struct wm_conveyor *c)
{
    return c->wish.elastic ? c->elastic_pushed : (int64_t)wm_convey_written(c) - c->relayed;
}

int64_t wm_convey_pulled(const struct wm_conveyor *c)
{
    const struct wm_convey_hop *h = &c->hops[c->hop_count - 1];
    uint64_t units = 0;

    if (c->wish.elastic)
        return c->elastic_pulled;
    for (int link = 0; c->hop_count > 0 && link < h->route->links; link++) {
        const struct wm_inlet *in = h->inlets[link];

        if (in == NULL)
            continue;
        units += in->taken;
        if (in == c->pulled)
            units += (uint64_t)(c->head.next - in->chunk.items) / c->form.unit_bytes;
        else if (in->chunk.units > 0)
            units += in->used;
    }
    return (int64_t)units;
}

/* A pull that was undone was a pull. */
static int64_t of_run(const struct wm_conveyor *c, int which)
{
    if (c->state == convey_DORMANT)
        return 0;
    if (which == convey_PUSHES)
        return wm_convey_pushed(c);
    if (which == convey_PULLS)
        return wm_convey_pulled(c) + c->stats[0][convey_UNPULLS];
    return c->stats[0][which];
}

void wm_convey_end_counts(struct wm_conveyor *c)
{
    for (int which = 0; which < convey_CUMULATIVE; which++)
        c->stats[1][which] += of_run(c, which);
    memset(c->stats[0], 0, sizeof c->stats[0]);
}

int64_t convey_statistic(convey_t *self, int which)
{
    const struct wm_conveyor *c = wm_conveyor_of(self);

    if (c == NULL || which < 0 || which >= 2 * convey_CUMULATIVE)
        return -1;
    if (which < convey_CUMULATIVE)
        return of_run(c, which);
    return of_run(c, which - convey_CUMULATIVE) + c->stats[1][which - convey_CUMULATIVE];
}

static int64_t waiting(const struct wm_conveyor *c)
{
    uint64_t units = 0;

    for (int hop = 0; hop < c->hop_count; hop++)
        for (int link = 0; link < c->hops[hop].route->links; link++)
            if (c->hops[hop].outlets[link] != NULL)
                units += open_units(c, c->hops[hop].outlets[link]);
    return (int64_t)units;
}

int convey_live(convey_t *self, struct convey_live *live)
{
    const struct wm_conveyor *c = wm_conveyor_of(self);
    bool runs;

    if (c == NULL)
        return wm_convey_fail(NULL, "convey_live", convey_error_NULL);
    if (live == NULL)
        return wm_convey_fail(wm_conveyor_of(self), "convey_live", convey_error_ARGUMENT);
    runs = c->state != convey_DORMANT;
    *live =
        (struct convey_live){.state = c->state,
                             .hops = c->hop_count,
                             .pushed = runs ? wm_convey_pushed(c) : 0,
                             .pulled = runs ? wm_convey_pulled(c) : 0,
                             .waiting = runs ? waiting(c) : 0,
                             .refused = c->refused,
                             .bytes_held = c->bytes_held + (c->monsters != NULL ? wm_monsters_bytes(c->monsters) : 0)};
    return convey_OK;
}

size_t convey_item_size(convey_t *self)
{
    const struct wm_conveyor *c = wm_conveyor_of(self);

    return c != NULL && c->state != convey_DORMANT ? c->head.item_bytes : 0;
}

uint64_t convey_features(convey_t *self)
{
    const struct wm_conveyor *c = wm_conveyor_of(self);
    const struct wm_convey_design *d;

    if (c == NULL)
        return 0;
    d = c->built ? &c->design : &c->wish.design;
    return (c->wish.elastic ? convey_ELASTIC : 0) |
           (d->steady || (c->wish.options & convey_opt_PROGRESS) != 0 ? convey_STEADY : 0) |
           (d->codec != WM_CODEC_NONE || ((c->wish.options & convey_opt_COMPRESS) != 0 && !d->synchronous)
                ? convey_THRIFTY
                : 0);
}
