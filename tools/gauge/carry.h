/* A conveyor's runs: items pushed and pulled one by one, and timed. */
#ifndef WM_GAUGE_CARRY_H
#define WM_GAUGE_CARRY_H

#include <mpi.h>
#include "tools/gauge/conveyors.h"
#include "waymark/convey.h"

enum { WM_GAUGE_RUNS = 3, WM_GAUGE_RUNS_MAX = 64 };

/* Carry so many runs behind one that warms up, and tell of the middle one. `loaded` says what is carried: how large
 * items are, how many, and whom they are for; its design is the conveyor's already. `own`: the tool's communicator, of
 * the same ranks. Times of phases are 0 where none are asked for. Collective; the same at all ranks. False: the
 * conveyor cannot begin. */
bool wm_gauge_carry(convey_t *conveyor, MPI_Comm own, const struct wm_gauge_conveyor *loaded, int runs, uint64_t seed,
                    struct wm_gauge_carried *carried);

#endif
