/* The machine: where the ranks of a communicator run, as MPI and hwloc tell. */
#ifndef WM_MACHINE_H
#define WM_MACHINE_H

#include <mpi.h>
#include <stdbool.h>
#include "core/path/grid.h"

/* Fill places[0 … size-1] for the ranks of `comm`. Collective over it. `sockets`: ask hwloc, too, for socket and NUMA
 * domain (tens of milliseconds); otherwise both are 0. world_rank is the rank in `comm`. Returns 0 or -WM_EMPI. */
int wm_machine_places(MPI_Comm comm, bool sockets, struct wm_place *places);

#endif
