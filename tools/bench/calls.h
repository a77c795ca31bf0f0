/* The calls that are measured: buffers that they take in turn, the loop that makes them, and what they must bring.
 *
 * A *bench* is one operation at one size. Its slots are pairs of buffers; call number i takes slot i modulo their
 * number, a power of two. Every slot has data of its own, told by rank, destination, place and slot. */
#ifndef WM_BENCH_CALLS_H
#define WM_BENCH_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/bench/operation.h"

struct wm_bench_contender {
    const char *name;
    MPI_Comm comm;
    bool native; /* the MPI library: its calls go past the doors */
};

struct wm_bench {
    int operation, rank, ranks;
    int root;                       /* 0 as it is prepared */
    struct wm_bench_operation data; /* the operation's */
    uint64_t bytes;                 /* of a block */
    int element_bytes, count;
    MPI_Datatype type;
    int *counts, *displacements, *byte_displacements; /* of equal blocks, in elements and in bytes; `ranks` long */
    MPI_Datatype *types;
    unsigned slots;
    size_t send_stride, receive_stride;
    char *send, *receive; /* slot 0's */
};

/* Memory that benches take their buffers from, one after the other. */
struct wm_bench_pool {
    char *memory;
    size_t bytes;
};

/* Bytes that one slot takes at a rank. */
size_t wm_bench_slot_bytes(int operation, uint64_t bytes, int ranks);

/* Prepare a bench with about `rotate_bytes` of slots, at least one. Local. Returns 0, or -WM_ENOMEM with *bench empty.
 */
int wm_bench_init(struct wm_bench *bench, struct wm_bench_pool *pool, int operation, uint64_t bytes, MPI_Comm comm,
                  uint64_t rotate_bytes);
void wm_bench_release(struct wm_bench *bench);
void wm_bench_pool_release(struct wm_bench_pool *pool);

/* Make `calls` calls in a row, from the first slot on. Collective over the contender's communicator. */
void wm_bench_run(const struct wm_bench *bench, const struct wm_bench_contender *contender, int calls);

/* How many slots a check looks at: all, but of large ones no more than make sense. */
unsigned wm_bench_checked_slots(const struct wm_bench *bench);

/* Write what is sent, and spoil what is received, in the slots that a check looks at. */
void wm_bench_fill(const struct wm_bench *bench);

/* The first fault in what these slots have received, as a sentence; false when all is right. */
bool wm_bench_find_fault(const struct wm_bench *bench, char *sentence, size_t sentence_bytes);

#endif
