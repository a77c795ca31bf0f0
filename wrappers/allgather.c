/* allgather: every member gets what all members of its group hold; all go on with it.
 * m bytes of all, all shapes (n-1)/n m β, and: ring, flat, pairwise (n-1) α; neighbour-exchange n/2 α; butterfly k and
 * bruck k log_k n (k-1) α. A tree: gathered at its root, then broadcast. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE };

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);
    const struct wm_shape *shape;

    if (group.self < 0)
        return 0;
    shape = wm_shape_to_move(p, self, SHAPE, &group);
    *wm_planner_flow(p) = wm_planner_group_range(p, &group);
    if (wm_shape_can(shape->kind, WM_SHAPE_SPREADS_SHARES)) {
        wm_shares_spread(p, &group, shape);
    } else {
        int root = wm_shape_root(shape, group.size);

        wm_rooted_gather(p, &group, shape, root);
        wm_rooted_spread(p, &group, shape, root);
    }
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("ring", WM_SHAPE_DEALS | WM_SHAPE_SPREADS_SHARES),
};

const struct wm_wrapper_class wm_wrapper_allgather = {
    .name = "allgather",
    .summary = "every member gets what all of its group hold; all go on",
    .source =
        "Thakur, Rabenseifner, Gropp, \"Optimization of Collective Communication Operations in MPICH\", 2005, 4.1; "
        "Bruck et al., 1997; Chen et al., 2005 (neighbour-exchange)",
    .services = {{WM_ALLGATHER_BITS, WM_STAGE_REPLICATE, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
