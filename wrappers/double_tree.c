/* Double tree: two binary trees, each with one half of the block; whoever is inside one is a leaf of the other, so that
 * all members send and receive about m bytes, where in one binary tree half of them send twice that and the others
 * nothing. Pipelined by a segment around it, in s pieces: (2 log2 n + s) (α + m/s β) against (log2 n + s) (α + 2 m/s
 * β). Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009. */
#include "wrappers/shapes.h"

static const struct wm_shape trees[2] = {{.kind = WM_SHAPE_DOUBLE_TREE, .radix = 0, .procedure = -1},
                                         {.kind = WM_SHAPE_DOUBLE_TREE, .radix = 1, .procedure = -1}};

static struct wm_flow half_of(struct wm_planner *p, const struct wm_flow *whole, int which)
{
    size_t first = whole->count - whole->count / 2;

    if (which == 0)
        return (struct wm_flow){whole->offset, first, wm_value_part(p, &whole->value, 0)};
    return (struct wm_flow){whole->offset + first, whole->count - first, wm_value_part(p, &whole->value, first)};
}

/* The halves' runs are those of the same ranks: bring each two behind one another. One alone comes home. */
static struct wm_value join(struct wm_planner *p, const struct wm_flow *whole, struct wm_flow *halves)
{
    struct wm_value value = halves[0].value;

    if (halves[1].count == 0)
        return value;
    if (value.run_count == 1) {
        for (int which = 0; which < 2; which++)
            wm_value_settle(p, &halves[which].value, halves[which].offset, halves[which].count);
        return value;
    }
    for (int i = 0; i < value.run_count; i++) {
        struct wm_ref at = wm_planner_temporary(p, whole->count);

        wm_planner_copy(p, value.runs[i].at, at, halves[0].count);
        wm_planner_copy(p, halves[1].value.runs[i].at, (struct wm_ref){at.buffer, at.offset + halves[0].count},
                        halves[1].count);
        value.runs[i].at = at;
    }
    return value;
}

void wm_double_tree_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root,
                            bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p), whole = *flow, halves[2];

    (void)shape;
    if (group->size == 1)
        return;
    for (int which = 0; which < 2; which++) {
        *flow = halves[which] = half_of(p, &whole, which);
        wm_tree_combine(p, group, &trees[which], root, ordered);
        halves[which].value = flow->value;
    }
    *flow = whole;
    if (group->self == root)
        flow->value = join(p, &whole, halves);
}

void wm_double_tree_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    struct wm_flow *flow = wm_planner_flow(p), whole = *flow;

    (void)shape;
    for (int which = 0; which < 2; which++) {
        *flow = half_of(p, &whole, which);
        wm_tree_spread(p, group, &trees[which], root);
    }
    *flow = whole;
}
