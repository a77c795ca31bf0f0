/* The operations that are measured, and what data they move. */
#include "tools/bench/operation.h"

/* clang-format off */
static const struct wm_bench_operation operations[WM_BENCH_OPERATION_COUNT] = {
    [WM_BARRIER] = {.meaning = "has none", .by_default = true},
    [WM_BCAST] = {.meaning = "of the buffer", .receive = WM_BENCH_ONE, .root_sends = true, .in_place = true,
                  .by_default = true},
    [WM_REDUCE] = {.meaning = "of the buffer", .send = WM_BENCH_ONE, .receive = WM_BENCH_ONE, .root_receives = true,
                   .combines = true, .by_default = true},
    [WM_ALLREDUCE] = {.meaning = "of the buffer", .send = WM_BENCH_ONE, .receive = WM_BENCH_ONE, .combines = true,
                      .by_default = true},
    [WM_GATHER] = {.meaning = "of each rank's block", .send = WM_BENCH_ONE, .receive = WM_BENCH_EACH,
                   .root_receives = true, .by_default = true},
    [WM_GATHERV] = {.meaning = "of each rank's block, all equal", .send = WM_BENCH_ONE, .receive = WM_BENCH_EACH,
                    .root_receives = true},
    [WM_SCATTER] = {.meaning = "of each rank's block", .send = WM_BENCH_EACH, .receive = WM_BENCH_ONE,
                    .root_sends = true, .by_default = true},
    [WM_SCATTERV] = {.meaning = "of each rank's block, all equal", .send = WM_BENCH_EACH, .receive = WM_BENCH_ONE,
                     .root_sends = true},
    [WM_ALLGATHER] = {.meaning = "of each rank's block", .send = WM_BENCH_ONE, .receive = WM_BENCH_EACH,
                      .by_default = true},
    [WM_ALLGATHERV] = {.meaning = "of each rank's block, all equal", .send = WM_BENCH_ONE, .receive = WM_BENCH_EACH},
    [WM_ALLTOALL] = {.meaning = "of the block of each pair of ranks", .send = WM_BENCH_EACH, .receive = WM_BENCH_EACH,
                     .by_default = true},
    [WM_ALLTOALLV] = {.meaning = "of the block of each pair of ranks, all equal", .send = WM_BENCH_EACH,
                      .receive = WM_BENCH_EACH},
    [WM_ALLTOALLW] = {.meaning = "of the block of each pair of ranks, all equal", .send = WM_BENCH_EACH,
                      .receive = WM_BENCH_EACH},
    [WM_REDUCE_SCATTER] = {.meaning = "of the block that each rank gets, all equal", .send = WM_BENCH_EACH,
                           .receive = WM_BENCH_ONE, .combines = true, .by_default = true},
    [WM_REDUCE_SCATTER_BLOCK] = {.meaning = "of the block that each rank gets", .send = WM_BENCH_EACH,
                                 .receive = WM_BENCH_ONE, .combines = true, .by_default = true},
    [WM_SCAN] = {.meaning = "of the buffer", .send = WM_BENCH_ONE, .receive = WM_BENCH_ONE, .combines = true,
                 .from = WM_BENCH_UP_TO_ME, .by_default = true},
    [WM_EXSCAN] = {.meaning = "of the buffer", .send = WM_BENCH_ONE, .receive = WM_BENCH_ONE, .combines = true,
                   .from = WM_BENCH_BEFORE_ME, .by_default = true},
    [WM_BENCH_COPY] = {.meaning = "of what rank 0 copies while the others wait: no communication",
                       .send = WM_BENCH_ONE, .receive = WM_BENCH_ONE, .root_sends = true, .root_receives = true},
};
/* clang-format on */

const struct wm_bench_operation *wm_bench_operation(int operation)
{
    return &operations[operation];
}

const char *wm_bench_operation_name(int operation)
{
    return operation == WM_BENCH_COPY ? "copy" : wm_operation_name((enum wm_operation)operation);
}

uint32_t wm_bench_operations_default(void)
{
    uint32_t bits = 0;

    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++)
        bits |= operations[op].by_default ? UINT32_C(1) << op : 0;
    return bits;
}

int wm_bench_element_bytes(int operation, uint64_t bytes)
{
    return !operations[operation].combines ? 1 : bytes % 8 == 0 ? 8 : 4;
}
