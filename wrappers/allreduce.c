/* allreduce: combine the members' data at all of them, which all go on; nothing is left for the way out.
 * butterfly k: log_k n (α + (k-1) m (β + γ)). ring, halving: shares combined, then spread. A tree, a double tree:
 * combined at the root, then spread. shared: wrappers/shared.c. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE, ORDER };

/* Values of several runs (a non-commutative operator, with stages to come) travel whole: only the butterfly does that.
 */
static bool needs_whole_values(const struct wm_wrapper *self, struct wm_planner *p)
{
    return !wm_planner_call(p)->commutative && !wm_planner_is_last_stage(p, self);
}

void wm_all_by_root(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int root = wm_shape_root(shape, group->size);

    wm_rooted_combine(p, group, shape, root, ordered);
    if (group->self == root)
        wm_value_settle(p, &flow->value, flow->offset, flow->count);
    wm_rooted_spread(p, group, shape, root);
    flow->value = wm_value_home(p, flow->offset);
}

void wm_all_by_shares(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p), whole;

    wm_shares_combine(p, group, shape, ordered);
    wm_share_enter(p, group, &whole);
    wm_value_settle(p, &flow->value, flow->offset, flow->count);
    wm_share_leave(p, &whole);
    wm_shares_spread(p, group, shape);
}

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    bool ordered = self->values[ORDER].choice == WM_ORDER_RANK;
    const struct wm_shape *shape;

    if (group.self < 0)
        return 0;
    shape = wm_shape_to_combine(p, self, SHAPE, &group);
    if (shape->kind != WM_SHAPE_SHARED && shape->kind != WM_SHAPE_BUTTERFLY && needs_whole_values(self, p))
        shape = wm_shape_plain(WM_SHAPE_BUTTERFLY);
    wm_shape_class(shape, WM_SHAPE_COMBINES_ALL)->combine_all(p, &group, shape, ordered);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("butterfly", WM_SHAPE_COMBINES_ALL),
    [ORDER] = WM_ORDER_PARAM,
};

const struct wm_wrapper_class wm_wrapper_allreduce = {
    .name = "allreduce",
    .summary = "combine at every member of each group; all go on",
    .source = "Thakur, Rabenseifner, Gropp, \"Optimization of Collective Communication Operations in MPICH\", 2005",
    .services = {{WM_OPERATION_BIT(WM_ALLREDUCE), WM_STAGE_REPLICATE, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
