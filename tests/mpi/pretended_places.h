/* Places of ranks on nodes that are pretended: those of two nodes share no memory. */
#ifndef WM_TESTS_PRETENDED_PLACES_H
#define WM_TESTS_PRETENDED_PLACES_H

#include <stdio.h>
#include <stdlib.h>
#include "core/path/grid.h"

static inline struct wm_place *pretended_places(int ranks, int nodes)
{
    struct wm_place *places = calloc((size_t)ranks, sizeof *places);

    for (int r = 0; r < ranks; r++) {
        places[r].world_rank = r;
        places[r].node = r % nodes;
        snprintf(places[r].host, sizeof places[r].host, "node%d", r % nodes);
    }
    return places;
}

#endif
