/* A network: the routes of all ranks of a conveyor, on a machine that one need not have, and the way of any item.
 *
 * Routes are made when they are asked for. On large machines only some are kept at a time, so a route is valid until
 * the next one is asked for. What the network asks a route are its *laws*: those of core/plan/convey/route.h, or, in
 * tests of the proof, others that break them. */
#ifndef WM_CONVEY_NETWORK_H
#define WM_CONVEY_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/plan/convey/form.h"

struct wm_network_laws {
    void (*way)(const struct wm_route *route, int destination, int *outlet, uint32_t *tag);
    struct wm_route_turn (*turn)(const struct wm_route *route, int hop, int link);
    int (*source)(const struct wm_route *route, int link, uint32_t tag);
    void (*spoil)(struct wm_route *route); /* of each that is made; NULL: leave it */
};
extern const struct wm_network_laws wm_network_laws_route;

struct wm_network {
    const struct wm_convey_design *design;
    const struct wm_grid *grid;
    const struct wm_network_laws *laws;
    struct wm_route *first; /* rank 0's, whose tables the others share */
    struct wm_route **kept; /* [slots] that of rank r in slot r mod slots */
    int ranks, slots;
};

/* `laws` NULL: those of routes. The design, its path and the grid outlive the network. Returns 0, -WM_ENOMEM, or
 * -WM_EMAP, placed at the wrapper: what wm_convey_design_route refuses. */
int wm_network_init(struct wm_network *network, const struct wm_convey_design *design, const struct wm_grid *grid,
                    const struct wm_network_laws *laws, struct wm_error *error);
void wm_network_release(struct wm_network *network);

/* The route of a rank, valid until that of another is asked for; ends the process when there is no memory. */
const struct wm_route *wm_network_route(struct wm_network *network, int rank);

/* How many ranks one may look at in good time, where looking at one means to make the routes of `fellows` others, too:
 * all of up to WM_NETWORK_EVERY. */
enum { WM_NETWORK_EVERY = 2048 };
int wm_network_sample_count(const struct wm_network *network, int fellows);
/* The i-th of `count` of the numbers below `total`: all in order, or some that are spread over every axis, with the
 * first and the last. */
int wm_network_sample(int total, int count, int i);

enum wm_network_net { WM_NETWORK_UNUSED, WM_NETWORK_OWN, WM_NETWORK_MEMORY, WM_NETWORK_MESSAGES };
/* The net of a link between two ranks; `peer` -1: of a link that no item uses. */
enum wm_network_net wm_network_net(const struct wm_network *network, int rank, int peer);

/* ---- an item's way ---- */

/* One hop of it: it leaves `rank` by link `link` of hop `hop` with a tag, and comes in at `end`. */
struct wm_leg {
    int rank, hop, link;
    uint32_t tag;
    struct wm_route_end end;
};
struct wm_journey {
    int source, destination;
    int count; /* of legs that were gone */
    struct wm_leg legs[WM_ROUTE_HOPS_MAX];
    int told; /* the source that the last one's rank takes it to come from; -1: it is none of them */
};

/* Follow an item by links and tags alone. Returns NULL, or the fault that ends the way, in words that continue "the
 * item …". */
const char *wm_network_follow(struct wm_network *network, int source, int destination, struct wm_journey *journey);

#endif
