/* Direct: every member sends every other its share in one message. */
#include "wrappers/shapes.h"

/* Peers are taken in turn from the neighbour on, so that no member is everyone's first. */
void wm_direct_combine(struct wm_planner *p, const struct wm_group *group, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    struct wm_share own = wm_share_of(flow, n, self, self + 1);
    struct wm_value value = wm_value_part(p, &flow->value, own.delta);

    for (int step = 1; step < n; step++) {
        int to = (self + step) % n;
        struct wm_share share = wm_share_of(flow, n, to, to + 1);
        struct wm_value part = wm_value_part(p, &flow->value, share.delta);

        wm_value_send(p, &part, share.count, group->members[to]);
    }
    if (n > 2 && !ordered && wm_planner_call(p)->commutative)
        wm_value_settle(p, &value, flow->offset + own.delta, own.count);
    for (int step = 1; step < n; step++) {
        int from = (self + n - step) % n;

        wm_value_merge(p, &value, flow->offset + own.delta, own.count, group->members[from],
                       wm_group_set(p, group, from, from + 1), ordered);
    }
    flow->value = value;
}

void wm_direct_spread(struct wm_planner *p, const struct wm_group *group)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    struct wm_share own = wm_share_of(flow, n, self, self + 1);

    for (int step = 1; step < n; step++) {
        int to = (self + step) % n, from = (self + n - step) % n;
        struct wm_share share = wm_share_of(flow, n, from, from + 1);

        wm_planner_send(p, group->members[to], wm_planner_home(p, flow->offset + own.delta), own.count);
        wm_planner_recv(p, group->members[from], wm_planner_home(p, flow->offset + share.delta), share.count);
    }
}
