/* Places into which several messages are stored. */
#ifndef WM_OVERLAP_H
#define WM_OVERLAP_H

#include "core/communicate/deal.h"

/* Of what is received no load is direct, if two messages are stored into one place: all are stored in the order of
 * their senders, when all have come. */
void wm_loads_part_overlaps(struct wm_loads *loads, const struct wm_parts *parts);

#endif
