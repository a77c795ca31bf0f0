/* The way of clocks' messages over a communicator of MPI. */
#ifndef WM_CLOCK_OVER_MPI_H
#define WM_CLOCK_OVER_MPI_H

#include <mpi.h>
#include "core/clock/compare.h"

/* Where nobody else has messages under way of tag 0. */
struct wm_clock_comm {
    MPI_Comm comm;
    const int *ranks; /* those of it that take part, by their ranks in the way; NULL: all */
};

/* *comm lives as long. */
struct wm_clock_way wm_clock_over_mpi(struct wm_clock_comm *comm);

#endif
