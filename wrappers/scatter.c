/* scatter: whoever has the data gives each member a share, with which it goes on; come back as an allgather.
 * In: h α + (n-1)/n m β along a binomial tree; out as the shape: ring (n-1) α + (n-1)/n m β, butterfly log2 n α + the
 * same. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, OUT };

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow *flow = wm_planner_flow(p), whole;

    if (group.self < 0)
        return 0;
    if (group.live)
        wm_tree_scatter(p, &group, self->values[SHAPE].shape, group.leader);
    wm_share_enter(p, &group, &whole);
    flow->value = wm_value_home(p, flow->offset);
    wm_planner_next(p);
    wm_share_leave(p, &whole);
    wm_shards_spread(p, &group, self->values[OUT].shape);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("binomial", WM_SHAPE_TREES),
    [OUT] = {.name = "out",
             .type = WM_PARAM_SHAPE,
             .fallback = "ring",
             .shapes = WM_SHAPE_BIT(WM_SHAPE_BUTTERFLY) | WM_SHAPE_BIT(WM_SHAPE_RING) | WM_SHAPE_BIT(WM_SHAPE_FLAT),
             .help = "who talks to whom on the way out, when the shares are gathered"},
};

const struct wm_wrapper_class wm_wrapper_scatter = {
    .name = "scatter",
    .summary = "whoever has the data gives each member a share; on the way out everyone gathers all shares",
    .source = "van de Geijn; Barnett et al., \"Interprocessor Collective Communication Library\", 1994",
    .operations = WM_OPERATION_BIT(WM_BCAST),
    .stage = WM_STAGE_SHARD,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .plan = plan,
};
