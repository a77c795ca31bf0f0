/* Calls timed from a common start to their last end, by clocks that are compared. For machines where a barrier takes
 * long: it lets the ranks on either side of a slow line go up to a crossing apart, and the call that follows hides in
 * that. */
#ifndef WM_GAUGE_START_H
#define WM_GAUGE_START_H

#include <mpi.h>
#include <stdint.h>
#include "tools/bench/calls.h"

struct wm_gauge_start {
    MPI_Comm comm;    /* for barriers */
    MPI_Comm own;     /* the tool's, of the same ranks */
    int64_t ahead_ns; /* rank 0's clock less this rank's */
    int64_t lead_ns;  /* how long a start is told beforehand; the same at all ranks */
};

/* Compare all clocks with rank 0's. Returns the nanoseconds of a barrier, as the mean over the ranks; the same at all
 * ranks. */
double wm_gauge_start_compare(struct wm_gauge_start *start);

/* Nanoseconds of a call, as the mean of `calls`, each from when the last rank has begun it; the same at all ranks. */
double wm_gauge_start_ns(const struct wm_gauge_start *start, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender, int calls);

#endif
