/* Routes: over which ranks an item of a conveyor goes, and what its tag says. Pure.
 *
 * A path names the axes along which items hop, in order: `(route core node)` brings an item to its destination's place
 * on the axis core within its own node, then to the destination's node. Each hop is a set of *links*, numbered by a
 * *digit*: the coordinate that it leads to. So a rank has as many links as the axes' sizes add up to, not as many as
 * there are ranks. `(route all)` is one hop. The axes are, each once, those that together cover the grid; or X Y X,
 * where the first hop spreads items over X by their destination's coordinate on Y, and the last one brings them home:
 * with `core node core` a core exchanges buffers with one nth of the nodes only, n being the cores of a node, and a
 * pair of nodes has one link each way (the paper's section 4.3.1).
 *
 * Ragged grids. The route is made over *cells*: the box whose sides are the axes' largest sizes. A cell without a rank
 * of its own is hosted: along each axis in turn, outermost first, its coordinate is taken modulo the groups that are
 * there. A rank's own cell is its first; it has the links of every cell that it hosts. So links of a hop are numbered
 * cell × fan + digit, and nothing else is special about raggedness.
 *
 * Tags. While an item is on its way, its tag is a queue of digits, the next hop's lowest: those of the destination that
 * the hops to come need, then those of the source that hops have replaced. A relay takes the lowest as the next link's
 * digit and puts in, on top, the digit of the link by which the item came: it is one shift, one mask and one constant a
 * buffer. At the destination the tag holds the source but for its last digit, which is the link's. Fan 1 takes no bits;
 * one hop has no tag. An item leaves out the hops that would lead to its own cell until one leads elsewhere, or the
 * last one is left.
 *
 * The path of an item depends on source and destination alone, so links that keep the order keep it per pair. Links of
 * a hop wait for links of later hops only, so that no cycle of full buffers can come about. */
#ifndef WM_CONVEY_ROUTE_H
#define WM_CONVEY_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/design.h"
#include "core/path/grid.h"

enum { WM_ROUTE_HOPS_MAX = WM_CONVEY_HOPS_MAX, WM_ROUTE_WAYS_MAX = 4096 };

/* The other end of a link. */
struct wm_route_end {
    int rank; /* -1: no item uses the link, since there is no such cell, or it is of the first hop and leads from a
               * hosted cell or (unless that is the last hop, too) to the same cell, or of the last and to a hosted one
               */
    int link; /* its number there: an outlet's among the inlets of this hop, and the other way round */
};

struct wm_route_hop {
    int axis;      /* of the grid, or WM_AXIS_ALL */
    int fan;       /* digits */
    int bits;      /* of a digit in a tag */
    int links;     /* cells of this rank × fan */
    int first_out; /* number of this hop's link 0 among the outlets of all hops */
    int first_in;
    const struct wm_route_end *out, *in; /* [links] */
};

struct wm_route {
    int ranks, rank, cells, hops;
    struct wm_route_hop hop[WM_ROUTE_HOPS_MAX];
    int outlets, inlets; /* of all hops */
    int tag_bits;        /* the most that a tag has */
    int tag_bytes;       /* 0, 1, 2 or 4 */
    bool arithmetic;     /* places follow from ranks by division: no table as long as the ranks is needed */
};

/* The route of `rank` along `axes` (`count` of them, indices in the grid or WM_AXIS_ALL alone).
 * Returns 0; -WM_ENOMEM; -WM_EMAP with a sentence that names the axis (covered twice, not covered, more hops than
 * WM_ROUTE_HOPS_MAX, tags above 32 bits) and without a place: the caller knows it. */
int wm_route_new(struct wm_route **route, const struct wm_grid *grid, const int *axes, int count, int rank,
                 struct wm_error *error);
/* The route of another rank of the same grid along the same axes. It shares the tables of `like`, which must outlive
 * it: for those who look at many ranks. Returns 0 or -WM_ENOMEM. */
int wm_route_new_like(struct wm_route **route, const struct wm_route *like, int rank);
void wm_route_free(struct wm_route *route);

/* How an item for `destination` leaves this rank: over outlet `outlet` (of all hops) with tag `tag`. To itself: the
 * last hop's link to itself; with X Y X as to other ranks, since the tags of that link have no code left for it. */
void wm_route_way(const struct wm_route *route, int destination, int *outlet, uint32_t *tag);

/* What a relay does with items that came over link `link` of hop `hop`, not the last:
 * outlet = base + (tag & mask), then tag = tag >> shift | add. An outlet that leads to its own cell is used as any
 * other. */
struct wm_route_turn {
    int base;
    uint32_t mask, add;
    int shift;
};
struct wm_route_turn wm_route_turn(const struct wm_route *route, int hop, int link);

/* The source of an item that came over link `link` of the last hop with tag `tag`. */
int wm_route_source(const struct wm_route *route, int link, uint32_t tag);

/* Bytes that the route holds, tables included. */
size_t wm_route_bytes(const struct wm_route *route);

#endif
