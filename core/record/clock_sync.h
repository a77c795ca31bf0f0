/* Clock synchronisation: while a job is traced, its clocks are compared now and then, so that the reader can lay all
 * ranks' times on one clock (tracer/FORMAT.md, "The common clock"). Nothing is corrected here.
 *
 * Who: one leader for each group of ranks that share a clock (core/record/clock_group), in the order of their ranks
 * along a tree (core/clock/compare.h); the root is rank 0. We keep offsets and leave the lines to the reader.
 *
 * When: at the start, at the end, and about every second in between, after blocking calls in which every rank waits for
 * all others anyway (barrier, allreduce, allgather, alltoall, reduce-scatter of blocks, with data), on communicators
 * that have all ranks of MPI_COMM_WORLD. These calls come in the same order at all ranks, so counting them is enough to
 * agree: rank 0 says at each meeting after how many more calls the next is, for half a second by the rate so far, but
 * never more than twice as many as the last time. If the rate falls the next one comes late, which costs exactness
 * only. Jobs that share one clock, jobs with MPI_THREAD_MULTIPLE, whose threads may call in any order, and subranks,
 * which do not wait in the library, do not count. For subranks the lowest rank of each process speaks.
 *
 * A call counts where it was made, also where it failed (a message too long for one rank, say); not where its arguments
 * were refused.
 *
 * States: idle (no trace, one clock, threads or subranks: start and end alone) or counting. */
#ifndef WM_CLOCK_SYNC_H
#define WM_CLOCK_SYNC_H

#include <stdbool.h>
#include "waymark/call.h"

/* Does a communicator have all ranks of MPI_COMM_WORLD? Found out when its calls are first counted. */
enum wm_extent { WM_EXTENT_UNKNOWN, WM_EXTENT_PART, WM_EXTENT_WORLD };

/* Find the groups and compare the clocks for the first time. Collective over MPI_COMM_WORLD; wm_process has
 * recordings at all ranks. Nothing here fails the job: without a communicator or groups nothing is compared. */
void wm_clock_sync_start(void);
/* Compare them for the last time. Collective over MPI_COMM_WORLD; does nothing unless started. */
void wm_clock_sync_stop(void);

/* True while calls are counted. Written at the start and at the end alone. */
extern bool wm_clock_sync_counts;

/* A blocking call has ended with `rc`, and its records are written: count it, and meet when it is time. Blocks until
 * all ranks have made this call. `extent` is that of its communicator. Hold no lock. */
void wm_clock_sync_count(enum wm_extent *extent, const struct wm_call *call, int rc);

static inline void wm_clock_sync_pass(enum wm_extent *extent, const struct wm_call *call, int rc)
{
    if (__builtin_expect(wm_clock_sync_counts, false))
        wm_clock_sync_count(extent, call, rc);
}

#endif
