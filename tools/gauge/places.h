/* Where the ranks of the job are. */
#ifndef WM_GAUGE_PLACES_H
#define WM_GAUGE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include "core/path/grid.h"

/* As the runtime of this process sees the machine, with the clusters of its hosts: by rank, which the caller frees, and
 * the machine's text. NULL, and "": there is no runtime, or no text says where its ranks are. */
struct wm_place *wm_gauge_places(int ranks, char *machine, size_t machine_bytes);

#endif
