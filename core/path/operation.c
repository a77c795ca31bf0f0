/* The table of operations, and look-ups in it. */
#include "waymark/operation.h"

#include <string.h>

enum { SHARED = true, LOCAL = false, VECTOR = true, ONE = false, IN_PLACE = true, APART = false };

static const struct {
    const char *name, *function;
    enum wm_flow_kind flow;
    enum wm_data_kind data;
    enum wm_combined_kind combined;
    bool bytes_shared, vectors, in_place;
} operations[WM_OPERATION_COUNT] = {
#define X(id, name, function, flow, data, combined, sizes, counts, place)                                              \
    [WM_##id] = {name, function, WM_FLOW_##flow, WM_DATA_##data, WM_COMBINED_##combined, sizes, counts, place},
    WM_OPERATIONS(X)
#undef X
};

const char *wm_operation_name(enum wm_operation operation)
{
    return operations[operation].name;
}

const char *wm_operation_function(enum wm_operation operation)
{
    return operations[operation].function;
}

enum wm_flow_kind wm_operation_flow(enum wm_operation operation)
{
    return operations[operation].flow;
}

enum wm_data_kind wm_operation_data(enum wm_operation operation)
{
    return operations[operation].data;
}

enum wm_combined_kind wm_operation_combined(enum wm_operation operation)
{
    return operations[operation].combined;
}

bool wm_operation_combines(enum wm_operation operation)
{
    return operations[operation].combined != WM_COMBINED_NONE;
}

bool wm_operation_bytes_shared(enum wm_operation operation)
{
    return operations[operation].bytes_shared;
}

bool wm_operation_takes_vectors(enum wm_operation operation)
{
    return operations[operation].vectors;
}

bool wm_operation_in_place(enum wm_operation operation)
{
    return operations[operation].in_place;
}

bool wm_operation_scans(enum wm_operation operation)
{
    return operations[operation].combined == WM_COMBINED_UP_TO_ME ||
           operations[operation].combined == WM_COMBINED_BEFORE_ME;
}

bool wm_operation_sends_one_block(enum wm_operation operation)
{
    enum wm_data_kind data = operations[operation].data;

    return data == WM_DATA_WHOLE || (data == WM_DATA_BLOCKS && operations[operation].flow != WM_FLOW_DOWN) ||
           operation == WM_NEIGHBOR_ALLGATHER || operation == WM_NEIGHBOR_ALLGATHERV;
}

bool wm_operation_synchronises(enum wm_operation operation)
{
    enum wm_combined_kind combined = operations[operation].combined;
    enum wm_data_kind data = operations[operation].data;

    return operation < (enum wm_operation)WM_COLLECTIVE_COUNT && operations[operation].flow == WM_FLOW_ALL &&
           data != WM_DATA_EDGES &&
           (combined == WM_COMBINED_ALL || (combined == WM_COMBINED_NONE && !operations[operation].vectors));
}

int wm_operation_find(const char *name)
{
    for (int i = 0; i < WM_OPERATION_COUNT; i++)
        if (strcmp(operations[i].name, name) == 0)
            return i;
    return -1;
}

bool wm_operation_rooted(enum wm_operation operation)
{
    return operations[operation].flow != WM_FLOW_ALL;
}
