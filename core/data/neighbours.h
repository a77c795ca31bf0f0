/* The neighbours of a rank in its communicator's topology, read from MPI. */
#ifndef WM_NEIGHBOURS_H
#define WM_NEIGHBOURS_H

#include <mpi.h>
#include "core/plan/planner.h"

/* Read them, in the order in which the neighbor collectives use them. NULL: the communicator has no topology. Local. */
struct wm_neighbours *wm_neighbours_read(MPI_Comm comm);
void wm_neighbours_free(struct wm_neighbours *neighbours);

#endif
