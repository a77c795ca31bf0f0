/* bcast: the member that has the data sends it to the others of its group; all go on.
 * A tree of height h, m bytes: h (α + m β), a member with c children sends c times. double-tree, split-binary: see
 * wrappers/double_tree.c and wrappers/split_binary.c. */
#include "wrappers/parameters.h"
#include "wrappers/shapes.h"

enum { AXIS, SHAPE };

static int plan(const struct wm_wrapper *self, struct wm_planner *p)
{
    struct wm_group group = wm_planner_group(p, self);

    if (group.self >= 0)
        wm_rooted_spread(p, &group, wm_shape_to_move(p, self, SHAPE, &group), group.leader);
    wm_planner_next(p);
    return 0;
}

static const struct wm_param params[] = {
    [AXIS] = WM_AXIS_PARAM,
    [SHAPE] = WM_SHAPE_PARAM("binomial", WM_SHAPE_SPREADS),
};

const struct wm_wrapper_class wm_wrapper_bcast = {
    .name = "bcast",
    .summary = "whoever has the data sends it to the others of its group",
    .source = "MPI-3.1 5.4; Pješivac-Grbović et al., 2007 (split-binary); Sanders, Speck, Träff, 2009 (double-tree)",
    .services = {{WM_OPERATION_BIT(WM_BCAST), WM_STAGE_FOLD, plan}},
    .params = params,
    .param_count = sizeof params / sizeof params[0],
};
