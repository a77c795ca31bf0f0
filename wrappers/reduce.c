/* reduce: combine the members' data at one of them, which goes on; come back as a broadcast.
 * A tree of height h over n members, m bytes: in h (α + m β + m γ) or more with several children; out h (α + m β). */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, ORDER };

static void combine(const struct wm_wrapper *self, struct wm_planner *p, const struct wm_group *group)
{
    wm_rooted_combine(p, group, wm_shape_to_combine(p, self, SHAPE, group), group->leader,
                      self->values[ORDER].choice == WM_ORDER_RANK);
}

static int plan_whole(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow *flow = wm_planner_flow(p);

    if (group.self < 0)
        return 0;
    combine(self, p, &group);
    if (group.self == group.leader)
        wm_planner_next(p);
    if (wm_operation_flow(wm_planner_call(p)->operation) == WM_FLOW_UP)
        return 0;
    if (group.self == group.leader)
        wm_value_settle(p, &flow->value, flow->offset, flow->count);
    wm_rooted_spread(p, &group, wm_shape_to_move(p, self, SHAPE, &group), group.leader);
    flow->value = wm_value_home(p, flow->offset);
    return 0;
}

/* In a reduce-scatter the leader deals out what it holds of the result on the way out, along the tree; along the first
 * tree of a double tree. */
static int plan_blocks(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow *flow = wm_planner_flow(p);

    if (group.self < 0)
        return 0;
    combine(self, p, &group);
    if (group.self == group.leader) {
        wm_planner_next(p);
        wm_planner_hold(p);
    }
    *flow = wm_planner_group_range(p, &group);
    wm_rooted_scatter(p, &group, wm_shape_to_move(p, self, SHAPE, &group), group.leader);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("binomial", WM_SHAPE_COMBINES),
    [ORDER] = WM_ORDER_PARAM,
};

const struct wm_wrapper_class wm_wrapper_reduce = {
    .name = "reduce",
    .summary =
        "combine at one member of each group, which goes on; on the way out it broadcasts, or deals out, the result",
    .source = "MPI-3.1 5.9.1; PATHS: Bjørndalen, Anshus, Larsen, Vinter, \"PATHS\", 2001",
    .services = {{WM_OPERATION_BIT(WM_BARRIER) | WM_OPERATION_BIT(WM_REDUCE) | WM_OPERATION_BIT(WM_ALLREDUCE),
                  WM_STAGE_FOLD, plan_whole},
                 {WM_REDUCE_SCATTER_BITS, WM_STAGE_FOLD, plan_blocks}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
