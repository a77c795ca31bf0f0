/* The operations that are measured: the blocking collectives of waymark/operation.h before the neighbor ones, in its
 * order, and `copy`, a plain copy at rank 0 that others can be held against. Pure: no MPI. */
#ifndef WM_BENCH_OPERATION_H
#define WM_BENCH_OPERATION_H

#include <stdbool.h>
#include <stdint.h>
#include "waymark/operation.h"

enum { WM_BENCH_COPY = WM_NEIGHBOR_ALLGATHER, WM_BENCH_OPERATION_COUNT };

/* What stands in a rank's buffer: nothing, one block, a block for each rank. */
enum wm_bench_blocks { WM_BENCH_NONE, WM_BENCH_ONE, WM_BENCH_EACH };

/* The data of an operation whose root, if any, is rank 0. A block is `bytes` long. */
struct wm_bench_operation {
    const char *meaning; /* of bytes: "of the buffer", "of each rank's block" */
    enum wm_bench_blocks send, receive;
    bool root_receives; /* nobody else does */
    bool in_place;      /* one buffer: the root's is received elsewhere (bcast) */
    enum wm_combined_kind combined;
    bool by_default; /* measured when no operation is named */
};

struct wm_bench_operation wm_bench_operation(int operation);
const char *wm_bench_operation_name(int operation); /* "reduce-scatter", "copy" */

/* Those that are measured when none is named. */
uint32_t wm_bench_operations_default(void);

/* Bytes of an element: what sizes are multiples of, or they are left out. */
int wm_bench_element_bytes(int operation, uint64_t bytes);

#endif
