/* The table of operations, and look-ups in it. */
#include "core/operation.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *function;
    enum wm_flow_kind flow;
} operations[WM_OPERATION_COUNT] = {
#define X(id, name, function, flow) [WM_##id] = {name, function, WM_FLOW_##flow},
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

int wm_operation_find(const char *name)
{
    for (int i = 0; i < WM_OPERATION_COUNT; i++)
        if (strcmp(operations[i].name, name) == 0)
            return i;
    return -1;
}

bool wm_operation_rooted(enum wm_operation operation)
{
    static const unsigned rooted = WM_OPERATION_BIT(WM_BCAST) | WM_OPERATION_BIT(WM_REDUCE) |
                                   WM_OPERATION_BIT(WM_GATHER) | WM_OPERATION_BIT(WM_GATHERV) |
                                   WM_OPERATION_BIT(WM_SCATTER) | WM_OPERATION_BIT(WM_SCATTERV);

    return (rooted & WM_OPERATION_BIT(operation)) != 0;
}
