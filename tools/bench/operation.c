/* The operations that are measured, and what data they move. */
#include "tools/bench/operation.h"

static const struct wm_bench_operation copy = {
    .meaning = "of what rank 0 copies while the others wait: no communication",
    .send = WM_BENCH_ONE,
    .receive = WM_BENCH_ONE,
    .root_receives = true,
};

static const char *meaning_of(enum wm_operation operation)
{
    bool vectors = wm_operation_takes_vectors(operation);

    switch (wm_operation_data(operation)) {
    case WM_DATA_WHOLE:
        return "of the buffer";
    case WM_DATA_PAIRS:
        return vectors ? "of the block of each pair of ranks, all equal" : "of the block of each pair of ranks";
    default:
        return vectors ? "of each rank's block, all equal" : "of each rank's block";
    }
}

struct wm_bench_operation wm_bench_operation(int number)
{
    enum wm_operation operation = (enum wm_operation)number;
    enum wm_flow_kind flow = wm_operation_flow(operation);
    enum wm_data_kind data = wm_operation_data(operation);
    bool combines = wm_operation_combines(operation), pairs = data == WM_DATA_PAIRS, blocks = data == WM_DATA_BLOCKS;
    bool in_place = data == WM_DATA_WHOLE && !combines;

    if (number == WM_BENCH_COPY)
        return copy;
    if (operation == WM_BARRIER)
        return (struct wm_bench_operation){.meaning = "has none", .by_default = true};
    return (struct wm_bench_operation){
        .meaning = meaning_of(operation),
        .send = in_place                                                  ? WM_BENCH_NONE
                : pairs || (blocks && (combines || flow == WM_FLOW_DOWN)) ? WM_BENCH_EACH
                                                                          : WM_BENCH_ONE,
        .receive = pairs || (blocks && !combines && flow != WM_FLOW_DOWN) ? WM_BENCH_EACH : WM_BENCH_ONE,
        .root_receives = flow == WM_FLOW_UP,
        .in_place = in_place,
        .combined = wm_operation_combined(operation),
        .by_default = combines || !wm_operation_takes_vectors(operation),
    };
}

const char *wm_bench_operation_name(int operation)
{
    return operation == WM_BENCH_COPY ? "copy" : wm_operation_name((enum wm_operation)operation);
}

uint32_t wm_bench_operations_default(void)
{
    uint32_t bits = 0;

    for (int op = 0; op < WM_BENCH_OPERATION_COUNT; op++)
        bits |= wm_bench_operation(op).by_default ? UINT32_C(1) << op : 0;
    return bits;
}

int wm_bench_element_bytes(int operation, uint64_t bytes)
{
    return wm_bench_operation(operation).combined == WM_COMBINED_NONE ? 1 : bytes % 8 == 0 ? 8 : 4;
}
