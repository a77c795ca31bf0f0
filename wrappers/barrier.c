/* barrier: no member goes on before all have come: an allreduce of no bytes.
 * butterfly: log2 n α, two rounds more if n is no power of 2; a tree of height h: 2 h α. */
#include "wrappers/allreduce.h"
#include "wrappers/parameters.h"

static const struct wm_param params[] = {
    WM_AXIS_PARAM,
    WM_SHAPE_PARAM("butterfly", WM_SHAPE_TREES | WM_SHAPE_BIT(WM_SHAPE_BUTTERFLY)),
    WM_ORDER_PARAM,
};

const struct wm_wrapper_class wm_wrapper_barrier = {
    .name = "barrier",
    .summary = "no member goes on before all of its group have come",
    .source = "MPI-3.1 5.3; Mellor-Crummey and Scott, \"Algorithms for Scalable Synchronization\", 1991",
    .operations = WM_OPERATION_BIT(WM_BARRIER),
    .stage = WM_STAGE_REPLICATE,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .plan = wm_allreduce_plan,
};
