/* A conveyor's runs: items pushed and pulled one by one, and timed. */
#ifndef WM_GAUGE_CARRY_H
#define WM_GAUGE_CARRY_H

#include <mpi.h>
#include "tools/gauge/conveyors.h"
#include "waymark/convey.h"

/* Carry runs behind one that warms up, and tell of the middle one. `comm`: a communicator that the map's rules see;
 * `own`: the tool's, of the same ranks. *kept is made at the first time, where it is NULL, since to ask the map takes
 * longer than a run; the caller frees it, as all conveyors of his in one order. Times of phases are 0 where none are
 * asked for. Collective; the same at all ranks. False: there is no such conveyor, or it cannot
 * begin. */
bool wm_gauge_carry(MPI_Comm comm, MPI_Comm own, const struct wm_gauge_conveyor *conveyor, uint64_t seed,
                    convey_t **kept, struct wm_gauge_carried *carried);

#endif
