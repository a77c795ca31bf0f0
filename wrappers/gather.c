/* gather: one member of each group gets what all of it hold, and goes on; in an allgather it comes back as a broadcast
 * of everything, in an alltoall as wrappers/coalesce.c says. In: a tree of height h: h α + (n-1)/n m β; out h (α + m
 * β). */
#include "wrappers/alltoall.h"
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE };

static void gather_group(const struct wm_wrapper *self, struct wm_planner *p, const struct wm_group *group)
{
    if (wm_planner_sizes_known(p))
        *wm_planner_flow(p) = wm_planner_group_range(p, group);
    wm_rooted_gather(p, group, wm_shape_to_move(p, self, SHAPE, group), group->leader);
    if (group->self == group->leader)
        wm_planner_next(p);
}

static int plan_gather(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);

    if (group.self >= 0)
        gather_group(self, p, &group);
    return 0;
}

static int plan_allgather(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow *flow = wm_planner_flow(p);

    if (group.self < 0)
        return 0;
    gather_group(self, p, &group);
    flow->offset = 0;
    flow->count = wm_blocks_total(&wm_planner_call(p)->data);
    wm_rooted_spread(p, &group, wm_shape_to_move(p, self, SHAPE, &group), group.leader);
    return 0;
}

static int plan_alltoall(const struct wm_wrapper *self, struct wm_planner *p)
{
    return wm_coalesce_plan(self, p, SHAPE);
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("binomial", WM_SHAPE_DEALS),
};

const struct wm_wrapper_class wm_wrapper_gather = {
    .name = "gather",
    .summary = "one member of each group gets what all of it hold and goes on; on the way out of an allgather it "
               "broadcasts, of an alltoall it deals out",
    .source = "MPI-3.1 5.5; Thakur, Rabenseifner, Gropp, 2005, 3",
    .services = {{WM_GATHER_BITS, WM_STAGE_FOLD, plan_gather},
                 {WM_ALLGATHER_BITS, WM_STAGE_FOLD, plan_allgather},
                 {WM_ALLTOALL_BITS, WM_STAGE_FOLD, plan_alltoall}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
