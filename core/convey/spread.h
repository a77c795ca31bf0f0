/* Spreading: units of a chunk go to few outlets many at a time, on processors that can compress vectors.
 *
 * One by one, each unit finds its outlet's cursors in memory, where the unit before has just left them, and waits for
 * that. Here up to 64 tags are looked at together, and for each outlet its units are picked out of vectors: cursors
 * stay in registers. The work grows with the outlets, so it pays for up to WM_SPREAD_OUTLETS_MAX. */
#ifndef WM_CONVEY_SPREAD_H
#define WM_CONVEY_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include "core/plan/convey/route.h"
#include "waymark/convey.h"

enum { WM_SPREAD_OUTLETS_MAX = 4, WM_SPREAD_GROUP = 64 };

/* This processor spreads units of `stride` bytes with tags of `tag_bytes` that take such a turn. */
bool wm_spread_serves(size_t stride, size_t tag_bytes, struct wm_route_turn turn);

/* Move units from the first of `count` on to outlets[tag & turn.mask], group by group, while a group finds room at its
 * outlets with 64 bytes to spare. Returns how many were moved. wm_spread_serves said so. */
size_t wm_spread(struct wm_convey_outlet *outlets, const char *items, const char *tags, size_t count, size_t stride,
                 struct wm_route_turn turn);

#endif
