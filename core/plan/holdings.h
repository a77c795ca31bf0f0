/* Holdings: where a rank has the blocks that it holds, while data is moved and not combined.
 *
 * Offsets are units in the path's order (core/path/order.h): the blocks of all ranks one behind the other. A rank
 * begins with what it brings; what it takes from others goes straight to its place in the user's buffer, where it
 * belongs there in one range, else to a temporary; what it gives is packed first, if it does not stand in one range. At
 * the end what is wanted and not yet in its place is copied there. So a path whose order is that of the user's buffer
 * copies nothing. */
#ifndef WM_HOLDINGS_H
#define WM_HOLDINGS_H

#include "core/plan/planner.h"

/* Make them for the planner's call, which has blocks. */
void wm_holdings_begin(struct wm_planner *planner);
/* Copy what is wanted to its place. */
void wm_holdings_deliver(struct wm_planner *planner);

/* The first unit of the place, 0 … ranks. All sizes must be known (wm_planner_sizes_known). */
size_t wm_holdings_start(const struct wm_planner *planner, int place);

/* `count` units from `offset` on stand at `at` from now on. */
void wm_holdings_put(struct wm_planner *planner, size_t offset, size_t count, struct wm_ref at);
/* Where `count` units stand in one range; packs them if need be. */
struct wm_ref wm_holdings_find(struct wm_planner *planner, size_t offset, size_t count);
/* Where `count` units that come shall stand. */
struct wm_ref wm_holdings_room(struct wm_planner *planner, size_t offset, size_t count);
/* Let `count` units that are held stand at their place in the user's buffer from now on, in *at: the caller sees to
 * that. False: they have no such place in one range, or may touch it where they stand. */
bool wm_holdings_settle(struct wm_planner *planner, size_t offset, size_t count, struct wm_ref *at);
/* `count` units that come in parts will be given away together: let them come into one range. */
void wm_holdings_unite(struct wm_planner *planner, size_t offset, size_t count);

#endif
