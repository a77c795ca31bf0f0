/* barrier: no member goes on before all have come: an allreduce of no bytes.
 * butterfly k: log_k n α, two rounds more where members sit out; dissemination k: log_k n α; a tree of height h: 2 h α;
 * ring: 2 (n-1) α. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, ORDER };

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    const struct wm_shape *shape;

    if (group.self < 0)
        return 0;
    shape = wm_shape_to_combine(p, self, SHAPE, &group);
    wm_shape_class(shape, WM_SHAPE_MEETS)->meet(p, &group, shape, self->values[ORDER].choice == WM_ORDER_RANK);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("butterfly", WM_SHAPE_MEETS),
    [ORDER] = WM_ORDER_PARAM,
};

const struct wm_wrapper_class wm_wrapper_barrier = {
    .name = "barrier",
    .summary = "no member goes on before all of its group have come",
    .source = "MPI-3.1 5.3; Mellor-Crummey and Scott, \"Algorithms for Scalable Synchronization\", 1991",
    .services = {{WM_OPERATION_BIT(WM_BARRIER), WM_STAGE_REPLICATE, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
