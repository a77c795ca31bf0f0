/* Shares: how the members of a group divide a block, and the exchanges of shares by the kind of shape. */
#include "wrappers/shared.h"

const uint64_t *wm_group_set(struct wm_planner *p, const struct wm_group *group, int low, int high)
{
    uint64_t *set = wm_planner_set_new(p);

    for (int i = low; set != NULL && i < high; i++)
        if (group->stage->number == 0) /* everyone holds its own alone */
            set[group->members[i] / 64] |= UINT64_C(1) << (group->members[i] % 64);
        else
            wm_planner_set_unite(p, set, wm_planner_set(p, group, i));
    return set;
}

void wm_share_enter(struct wm_planner *p, const struct wm_group *group, struct wm_flow *whole)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share own = wm_planner_share(p, group, flow, group->self, group->self + 1);

    *whole = *flow;
    flow->offset += own.delta;
    flow->count = own.count;
}

void wm_share_leave(struct wm_planner *p, const struct wm_flow *whole)
{
    struct wm_flow *flow = wm_planner_flow(p);

    *flow = *whole;
    flow->value = wm_value_home(p, flow->offset);
}

void wm_rooted_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root,
                       bool ordered)
{
    switch (shape->kind) {
    case WM_SHAPE_DOUBLE_TREE:
        wm_double_tree_combine(p, group, root, ordered);
        break;
    case WM_SHAPE_SHARED:
        wm_shared_combine(p, group, shape, root);
        break;
    default:
        wm_tree_combine(p, group, shape, root, ordered);
    }
}

void wm_rooted_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    switch (shape->kind) {
    case WM_SHAPE_DOUBLE_TREE:
        wm_double_tree_spread(p, group, root);
        break;
    case WM_SHAPE_SPLIT_BINARY:
        wm_split_binary_spread(p, group, root);
        break;
    case WM_SHAPE_SHARED:
        wm_shared_spread(p, group, shape, root);
        break;
    default:
        wm_tree_spread(p, group, shape, root);
    }
}

void wm_rooted_scatter(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    if (shape->kind == WM_SHAPE_SHARED)
        wm_shared_scatter(p, group, shape, root);
    else
        wm_tree_scatter(p, group, shape, root);
}

void wm_rooted_gather(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, int root)
{
    if (shape->kind == WM_SHAPE_SHARED)
        wm_shared_gather(p, group, shape, root);
    else
        wm_tree_gather(p, group, shape, root);
}

struct wm_window wm_window_make(struct wm_planner *p, const struct wm_group *group, int width)
{
    struct wm_window window = {width < group->size ? width : 0, 0, NULL};

    if (window.width > 0)
        window.steps = wm_planner_allocate(p, sizeof *window.steps * (size_t)window.width);
    if (window.steps == NULL)
        window.width = 0;
    return window;
}

void wm_window_open(struct wm_planner *p, const struct wm_window *window, size_t count)
{
    if (window->next >= window->width && window->width > 0 && count > 0)
        wm_planner_after(p, window->steps[window->next % window->width]);
}

void wm_window_pass(struct wm_window *window, int step)
{
    if (window->width > 0)
        window->steps[window->next++ % window->width] = step;
}

void wm_shards_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    switch (shape->kind) {
    case WM_SHAPE_RING:
        wm_ring_combine(p, group, ordered);
        break;
    case WM_SHAPE_HALVING:
        wm_halving_combine(p, group, ordered);
        break;
    case WM_SHAPE_BUTTERFLY:
        wm_multiply_combine(p, group, shape->radix, ordered);
        break;
    case WM_SHAPE_SHARED:
        wm_shared_shards_combine(p, group, shape);
        break;
    default:
        wm_direct_combine(p, group, shape, ordered);
    }
}

void wm_shards_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    switch (shape->kind) {
    case WM_SHAPE_RING:
        wm_ring_spread(p, group);
        break;
    case WM_SHAPE_EXCHANGE:
        wm_exchange_spread(p, group);
        break;
    case WM_SHAPE_HALVING:
        wm_butterfly_spread(p, group, 2);
        break;
    case WM_SHAPE_BUTTERFLY:
        wm_butterfly_spread(p, group, shape->radix);
        break;
    case WM_SHAPE_BRUCK:
        wm_bruck_spread(p, group, shape->radix);
        break;
    case WM_SHAPE_SHARED:
        wm_shared_shards_spread(p, group, shape);
        break;
    default:
        wm_direct_spread(p, group, shape);
    }
}
