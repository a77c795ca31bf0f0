/* Ways: tables by which inlined pushes find their outlet and inlined pulls their source. */
#include <stdlib.h>
#include "core/convey/state.h"
#include "core/error.h"

/* Way of a destination: outlet above 16 bits of tag. */
enum { WAY_BITS = 16 };

static bool fits(const struct wm_conveyor *c)
{
    return c->ranks <= WM_ROUTE_WAYS_MAX && c->route->tag_bits <= WAY_BITS && c->route->outlets <= 1 << WAY_BITS;
}

static int make_ways(struct wm_conveyor *c)
{
    int outlet;
    uint32_t tag;

    if (!fits(c))
        return 0;
    if ((c->ways = malloc(sizeof *c->ways * (size_t)c->ranks)) == NULL)
        return -WM_ENOMEM;
    for (int pe = 0; pe < c->ranks; pe++) {
        wm_route_way(c->route, pe, &outlet, &tag);
        c->ways[pe] = (uint32_t)outlet << WAY_BITS | tag;
    }
    return 0;
}

/* Bits of a tag at the destination: the digits of all hops but the last. */
static int source_bits(const struct wm_route *route)
{
    int bits = 0;

    for (int hop = 0; hop < route->hops - 1; hop++)
        bits += route->hop[hop].bits;
    return bits;
}

/* Sources by tag, from that of tag 0 on: one row of 2^bits for all inlets where places are arithmetic, else one each.
 */
static int make_origins(struct wm_conveyor *c)
{
    const struct wm_route_hop *last = &c->route->hop[c->route->hops - 1];
    size_t row = (size_t)1 << source_bits(c->route), rows = c->route->arithmetic ? 1 : (size_t)last->links;

    if (c->form.tag_bytes == 0 || c->form.tag_bytes > 2)
        return 0;
    if ((c->origins = malloc(sizeof *c->origins * row * rows)) == NULL)
        return -WM_ENOMEM;
    for (size_t link = 0; link < rows; link++)
        for (size_t tag = 0; tag < row; tag++)
            c->origins[link * row + tag] =
                wm_route_source(c->route, (int)link, (uint32_t)tag) - wm_route_source(c->route, (int)link, 0);
    c->origin_row = rows > 1 ? row : 0;
    return 0;
}

int wm_ways_make(struct wm_conveyor *c)
{
    int rc = make_ways(c);

    return rc == 0 && !c->wish.elastic ? make_origins(c) : rc;
}

void wm_ways_free(struct wm_conveyor *c)
{
    free(c->ways);
    free(c->origins);
    c->ways = NULL;
    c->origins = NULL;
}

void wm_ways_find(const struct wm_conveyor *c, int pe, int *outlet, uint32_t *tag)
{
    if (c->ways == NULL) {
        wm_route_way(c->route, pe, outlet, tag);
        return;
    }
    *outlet = (int)(c->ways[pe] >> WAY_BITS);
    *tag = c->ways[pe] & ((1u << WAY_BITS) - 1);
}

void wm_ways_face(struct wm_conveyor *c, int link)
{
    c->pulled_link = link;
    c->head.from = c->form.tag_bytes == 0 ? c->pulled->peer : wm_route_source(c->route, link, 0);
    if (c->origins != NULL)
        c->head.origins = c->origins + (size_t)link * c->origin_row;
}

int64_t wm_convey_far_source(const struct conveyor *head)
{
    const struct wm_conveyor *c = (const struct wm_conveyor *)head;
    uint32_t tag;

    memcpy(&tag, head->next_tag, 4);
    return wm_route_source(c->route, c->pulled_link, tag);
}
