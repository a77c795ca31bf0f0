/* Paths: the critical path of each instance, added to the lines and edges that it passes. */
#ifndef WM_PATHS_H
#define WM_PATHS_H

#include "tools/analysis/totals.h"

/* Add the critical path of an instance; its sides are in the order of their ends, its regions' waits set. */
void wm_paths_add(struct wm_totals *totals, const struct wm_instance *instance);

#endif
