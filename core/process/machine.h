/* The machine: where the ranks of a communicator run, as MPI and hwloc tell. */
#ifndef WM_MACHINE_H
#define WM_MACHINE_H

#include <mpi.h>
#include <stdbool.h>
#include "core/path/grid.h"

/* Fill places[0 … size-1] for the ranks of `comm`. Collective over it. `sockets`: ask hwloc, too, for socket and NUMA
 * domain (tens of milliseconds); otherwise both are 0. world_rank is the rank in `comm`. Returns 0 or -WM_EMPI. */
int wm_machine_places(MPI_Comm comm, bool sockets, struct wm_place *places);

/* The same where each rank of `comm` is a process of so many subranks, places[0 … size × each-1], block by block; none
 * where `each` is 0. */
int wm_machine_places_each(MPI_Comm comm, bool sockets, int each, struct wm_place *places);

/* World ranks of a communicator's `ranks` ranks, new; NULL when some are not of this MPI_COMM_WORLD. */
int *wm_machine_world_ranks(MPI_Comm comm, int ranks);

/* The places of a communicator's `ranks` ranks: *known, of those of this MPI_COMM_WORLD in a runtime that is awake, or
 * asked of MPI, collectively. Returns 0 or -WM_EMPI. */
int wm_machine_places_of(MPI_Comm comm, int ranks, struct wm_place *places, bool *known);

#endif
