/* Places of a test's ranks: on nodes that are pretended, or where they are. */
#ifndef WM_TESTS_PLACES_H
#define WM_TESTS_PLACES_H

#include <stdio.h>
#include <stdlib.h>
#include "core/process/machine.h"

/* Those of MPI_COMM_WORLD's ranks, new: on so many nodes, dealt out, that share no memory; 0: where they are,
 * collectively. */
static inline struct wm_place *places_on(int nodes, int ranks)
{
    struct wm_place *places = calloc((size_t)ranks, sizeof *places);

    if (nodes == 0 && wm_machine_places(MPI_COMM_WORLD, false, places) != 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    for (int r = 0; nodes > 0 && r < ranks; r++) {
        places[r].world_rank = r;
        places[r].node = r % nodes;
        snprintf(places[r].host, sizeof places[r].host, "node%d", r % nodes);
    }
    return places;
}

#endif
