/* Measuring one operation at one size and rotation: batches of all contenders in turn, and of exchanged flags where
 * they are the limit of the operation.
 *
 * A batch is a number of calls in a row, the same for all contenders and ranks, timed at each rank after a barrier; its
 * sample is what a call took, as the mean over the ranks and at the slowest of them. A round is one batch of each
 * contender, in an order that changes from round to round, so that drift and neighbours hit all alike. Before the first
 * round and after the last one the contenders' results are checked. */
#ifndef WM_BENCH_MEASURE_H
#define WM_BENCH_MEASURE_H

#include <jansson.h>
#include "tools/bench/calls.h"
#include "tools/bench/flags.h"

enum { WM_BENCH_CONTENDERS_MAX = 16 };

struct wm_bench_job {
    MPI_Comm comm; /* the tool's own */
    int rank, ranks;
    int contender_count;
    struct wm_bench_contender contenders[WM_BENCH_CONTENDERS_MAX];
    struct wm_bench_flags flags;
    int rounds;       /* 0: as many as time allows */
    double batch_s;   /* what a batch is to take, at least */
    bool wrong;       /* some result was wrong; the same on all ranks */
    bool interrupted; /* a signal came to some rank; the same on all ranks */
    struct wm_bench_pool pool;
};

/* Ask for an end: the round that is under way is the last. May be called in a signal handler. */
void wm_bench_interrupt(void);

/* Is the exchange of flags what limits this operation: does a barrier or an allreduce of one number wait for it? */
bool wm_bench_is_limited(int operation, uint64_t bytes);

/* Measure, with `rotate_bytes` of buffers that calls take in turn. Collective over job->comm. Rank 0 gets the entry of
 * `sizes` (tools/bench/result.h), a new reference; NULL at the others, or when it was interrupted before there was
 * anything, or when memory was short (*short_of_memory, at all ranks). */
json_t *wm_bench_measure(struct wm_bench_job *job, int operation, uint64_t bytes, uint64_t rotate_bytes,
                         bool *short_of_memory);

#endif
