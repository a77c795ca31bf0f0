/* Candidates of conveyors: the hops that items may take on a machine, and the buffers of a link. Pure. */
#ifndef WM_TUNE_ROUTES_H
#define WM_TUNE_ROUTES_H

#include "core/path/design.h"
#include "tools/tune/paths.h"

/* List routes of WM_CONVEYOR by buffers, fewer hops first, then what holds less; number 0 is native: as a constructor
 * makes it that leaves all to the machine. Not all of them need fit a machine: wm_tune_route_serves says. */
void wm_tune_list_routes(struct wm_tune_list *list, enum wm_operation operation, int nodes, int clusters);

/* Make the design of a conveyor's path on a grid. True: each axis of its route has ranks to hop between, no rank holds
 * more than `most_bytes` for items of `item_bytes`, and the routes are proven (tools/routes/prove.h). */
bool wm_tune_route_serves(struct wm_convey_design *design, const struct wm_path *path, const struct wm_grid *grid,
                          uint64_t item_bytes, uint64_t most_bytes);

/* Do two designs that serve one machine make one conveyor there? */
bool wm_tune_designs_equal(const struct wm_convey_design *design, const struct wm_convey_design *other);

#endif
