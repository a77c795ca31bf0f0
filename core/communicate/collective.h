/* Statements that are a collective operation: made as one, on the map's path for it. */
#ifndef WM_COMMUNICATE_COLLECTIVE_H
#define WM_COMMUNICATE_COLLECTIVE_H

#include "core/communicate/deal.h"

/* Describe it as a call, from and to where the bindings are. */
void wm_collective_place(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[]);
/* Make it, as wm_collective_place has described it. What comes again costs few stores: a processor whose store buffer
 * is full of them waits for those that share memory with others. */
void wm_fly_collective(struct wm_deal *d, const struct wm_bound bindings[]);

#endif
