/* Places into which several messages are stored. */
#ifndef WM_OVERLAP_H
#define WM_OVERLAP_H

#include "core/communicate/deal.h"

/* Loads of what is received are not direct, if others are stored into their places, too: these are stored in their
 * order, when all have come. */
void wm_loads_part_overlaps(struct wm_loads *loads, const struct wm_parts *parts);

#endif
