/* A conveyor carried once: items pushed and pulled one by one, and timed. */
#ifndef WM_GAUGE_CARRY_H
#define WM_GAUGE_CARRY_H

#include <mpi.h>
#include "tools/gauge/conveyors.h"

/* Carry a run after a shorter one that warms up. `comm`: one that the map's rules see; `own`: the tool's, of the same
 * ranks. Times of phases are 0 where none are asked for. Collective; the same at all ranks. False: there is no such
 * conveyor. */
bool wm_gauge_carry(MPI_Comm comm, MPI_Comm own, const struct wm_gauge_conveyor *conveyor, uint64_t seed,
                    struct wm_gauge_carried *carried);

#endif
