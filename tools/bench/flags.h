/* The machine's own limit for a barrier and a short allreduce: two ranks of a node that exchange flags in its memory.
 * Each writes its flag, in a line of its own, and waits for the other's; nothing is called. */
#ifndef WM_BENCH_FLAGS_H
#define WM_BENCH_FLAGS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct wm_bench_flags {
    bool paired; /* this rank is one of the two of its node */
    int ranks;   /* that are, of all nodes; the same at all ranks; 0: no node has two */
    MPI_Win window;
    _Atomic uint64_t *mine, *other;
    uint64_t count; /* exchanges so far */
};

/* Pair the first two ranks of each node. Collective over `comm`. */
void wm_bench_flags_init(struct wm_bench_flags *flags, MPI_Comm comm);
void wm_bench_flags_release(struct wm_bench_flags *flags);

/* Make `count` exchanges, if this rank is paired: both of a pair. */
void wm_bench_flags_run(struct wm_bench_flags *flags, int count);

#endif
