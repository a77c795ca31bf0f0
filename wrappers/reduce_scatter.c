/* reduce-scatter: every member combines its own share of all members' data and goes on with it. In an allreduce it
 * comes back as an allgather, in a reduce as a gather to the root. All shapes (n-1)/n m (β + γ), and: halving log2 n α;
 * butterfly k log_k n (k-1) α + α + m/n β; ring, flat and pairwise (n-1) α. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, ORDER, OUT };

static void combine(const struct wm_wrapper *self, struct wm_planner *p, const struct wm_group *group)
{
    wm_shares_combine(p, group, wm_shape_to_combine(p, self, SHAPE, group),
                      self->values[ORDER].choice == WM_ORDER_RANK);
}

static int plan_shares(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    bool up = wm_operation_flow(wm_planner_call(p)->operation) == WM_FLOW_UP;
    struct wm_flow *flow = wm_planner_flow(p), whole;
    const struct wm_shape *out;

    if (group.self < 0)
        return 0;
    combine(self, p, &group);
    wm_share_enter(p, &group, &whole);
    wm_planner_next(p);
    if (!up || group.live)
        wm_value_settle(p, &flow->value, flow->offset, flow->count);
    wm_share_leave(p, &whole);
    out = wm_shape_to_move(p, self, OUT, &group);
    /* In a reduce only the groups that stand where the root stands hold the result. */
    if (up && group.live)
        wm_shares_gather(p, &group, out, group.leader);
    if (!up)
        wm_shares_spread(p, &group, out);
    return 0;
}

/* Nothing comes back: the share is what the ranks that this member stands for shall get. */
static int plan_blocks(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    struct wm_flow whole;

    if (group.self < 0)
        return 0;
    combine(self, p, &group);
    wm_share_enter(p, &group, &whole);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("halving", WM_SHAPE_COMBINES_SHARES),
    [ORDER] = WM_ORDER_PARAM,
    [OUT] = {.name = "out",
             .type = WM_PARAM_SHAPE,
             .shapes = WM_SHAPE_SPREADS_SHARES,
             .help = "who talks to whom on the way out, as on the way in unless given; a reduce gathers flat, or, for "
                     "halving, butterfly and bruck, along a binomial tree, or shared"},
};

const struct wm_wrapper_class wm_wrapper_reduce_scatter = {
    .name = "reduce-scatter",
    .summary = "every member combines a share of its own and goes on with it; on the way out shares are gathered, "
               "where all want all",
    .source =
        "Rabenseifner, \"Optimization of Collective Reduction Operations\", 2004; Träff, \"An improved algorithm for "
        "(non-commutative) reduce-scatter\", 2005 (butterfly)",
    .services = {{WM_OPERATION_BIT(WM_REDUCE) | WM_OPERATION_BIT(WM_ALLREDUCE), WM_STAGE_SHARD, plan_shares},
                 {WM_REDUCE_SCATTER_BITS, WM_STAGE_SHARD, plan_blocks}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
