/* Calls timed between fences: each is followed by a barrier, and what barriers alone take is taken off. What is left is
 * the time from when all ranks begin a call until the last one has ended it, without a clock that they share. */
#ifndef WM_GAUGE_FENCE_H
#define WM_GAUGE_FENCE_H

#include <mpi.h>
#include "tools/bench/calls.h"

struct wm_gauge_fence {
    MPI_Comm comm;   /* the barriers'; MPI_COMM_NULL: each call is the fence of the one before */
    MPI_Comm own;    /* the tool's, of the same ranks */
    double batch_ns; /* what a batch shall take, at least */
};

/* Nanoseconds of a call and its fence, as the mean over the ranks of `calls` of them; without a bench, of a fence. The
 * same at all ranks. */
double wm_gauge_fence_ns(const struct wm_gauge_fence *fence, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender, int calls);

/* How many calls make a batch, the same at all ranks. */
int wm_gauge_fence_calls(const struct wm_gauge_fence *fence, const struct wm_bench *bench,
                         const struct wm_bench_contender *contender);

#endif
