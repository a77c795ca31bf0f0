/* scatter: whoever has the data gives each member a share, with which it goes on. In a bcast the shares are equal, and
 * it comes back as an allgather; in a scatter they are what the ranks that the members stand for shall get. In: h α +
 * (n-1)/n m β along a binomial tree; out as the shape, see wrappers/allgather.c. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, OUT };

static int plan_bcast(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow *flow = wm_planner_flow(p), whole;

    if (group.self < 0)
        return 0;
    if (group.live)
        wm_rooted_scatter(p, &group, wm_shape_to_move(p, self, SHAPE, &group), group.leader);
    wm_share_enter(p, &group, &whole);
    flow->value = wm_value_home(p, flow->offset);
    wm_planner_next(p);
    wm_share_leave(p, &whole);
    wm_shares_spread(p, &group, wm_shape_to_move(p, self, OUT, &group));
    return 0;
}

static int plan_scatter(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);

    if (group.self >= 0 && wm_planner_sizes_known(p))
        *wm_planner_flow(p) = wm_planner_group_range(p, &group);
    if (group.self >= 0)
        wm_rooted_scatter(p, &group, wm_shape_to_move(p, self, SHAPE, &group), group.leader);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("binomial", WM_SHAPE_DEALS),
    [OUT] = {.name = "out",
             .type = WM_PARAM_SHAPE,
             .fallback = "ring",
             .shapes = WM_SHAPE_SPREADS_SHARES,
             .help = "who talks to whom on the way out of a bcast, when the shares are gathered"},
};

const struct wm_wrapper_class wm_wrapper_scatter = {
    .name = "scatter",
    .summary =
        "whoever has the data gives each member its share; in a bcast everyone gathers all shares on the way out",
    .source = "van de Geijn; Barnett et al., \"Interprocessor Collective Communication Library\", 1994",
    .services = {{WM_OPERATION_BIT(WM_BCAST), WM_STAGE_SHARD, plan_bcast},
                 {WM_SCATTER_BITS, WM_STAGE_FOLD, plan_scatter}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
