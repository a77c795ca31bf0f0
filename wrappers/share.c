/* Shares: how the members of a group divide a block, and the exchanges of shares by the kind of shape. */
#include "wrappers/shapes.h"

struct wm_share wm_share_of(const struct wm_flow *flow, int members, int low, int high)
{
    size_t n = (size_t)members, whole = flow->count / n, rest = flow->count % n;
    size_t first = whole * (size_t)low + rest * (size_t)low / n;
    size_t last = whole * (size_t)high + rest * (size_t)high / n;

    return (struct wm_share){first, last - first};
}

const uint64_t *wm_group_set(struct wm_planner *p, const struct wm_group *group, int low, int high)
{
    uint64_t *set = wm_planner_set_new(p);

    for (int i = low; set != NULL && i < high; i++)
        wm_planner_set_unite(p, set, wm_planner_set(p, group, i));
    return set;
}

void wm_share_enter(struct wm_planner *p, const struct wm_group *group, struct wm_flow *whole)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share own = wm_share_of(flow, group->size, group->self, group->self + 1);

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

void wm_shards_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    switch (shape->kind) {
    case WM_SHAPE_RING:
        wm_ring_combine(p, group, ordered);
        break;
    case WM_SHAPE_HALVING:
        wm_halving_combine(p, group, ordered);
        break;
    default:
        wm_direct_combine(p, group, ordered);
    }
}

void wm_shards_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    switch (shape->kind) {
    case WM_SHAPE_RING:
        wm_ring_spread(p, group);
        break;
    case WM_SHAPE_HALVING:
    case WM_SHAPE_BUTTERFLY:
        wm_halving_spread(p, group);
        break;
    default:
        wm_direct_spread(p, group);
    }
}
