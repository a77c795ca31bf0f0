/* Ring: shares travel from neighbour to neighbour. n members, m bytes: combine (n-1) α + (n-1)/n m (β + γ), spread
 * (n-1) α + (n-1)/n m β. A whole value goes round twice: 2 (n-1) (α + m β), the barrier that Open MPI calls double
 * ring. */
#include "wrappers/shapes.h"

/* The share of member b starts at b+1, is combined by everyone on its way, and ends at b. */
void wm_ring_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    int to = group->members[(self + 1) % n], from = group->members[(self + n - 1) % n];
    struct wm_share share = wm_planner_share(p, group, flow, (self + n - 1) % n, (self + n - 1) % n + 1);
    struct wm_value value = wm_value_part(p, &flow->value, share.delta);
    uint64_t *set = wm_planner_set_new(p); /* of the members that the next share has passed */

    (void)shape;
    for (int round = 0; round < n - 1; round++) {
        int next = (self + 2 * n - 2 - round) % n;

        if (wm_planner_omits(p, round, n - 1))
            continue;
        wm_value_send(p, &value, share.count, to);
        wm_planner_set_add(p, set, group, (next + 1) % n, (next + 1) % n + 1);
        share = wm_planner_share(p, group, flow, next, next + 1);
        value = wm_value_part(p, &flow->value, share.delta);
        wm_value_merge(p, &value, flow->offset + share.delta, share.count, from, set, ordered);
    }
    flow->value = n > 1 ? value : wm_value_part(p, &flow->value, 0);
}

void wm_ring_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self, sent = self;

    (void)shape;
    for (int round = 0; round < n - 1; round++) {
        int got = (self + 2 * n - 1 - round) % n;
        struct wm_share out = wm_planner_share(p, group, flow, sent, sent + 1),
                        in = wm_planner_share(p, group, flow, got, got + 1);

        if (wm_planner_omits(p, round, n - 1)) {
            wm_planner_taken(p, flow->offset + in.delta, in.count);
            continue;
        }
        wm_planner_give(p, group->members[(self + 1) % n], flow->offset + out.delta, out.count);
        wm_planner_take(p, group->members[(self + n - 1) % n], flow->offset + in.delta, in.count);
        sent = got;
    }
}

/* From member 0 to the last, who then has everyone's, and from there round once more. */
void wm_ring_pass(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    int to = group->members[(self + 1) % n], from = group->members[(self + n - 1) % n];

    (void)shape;
    if (self > 0)
        wm_value_merge(p, &flow->value, flow->offset, flow->count, from, wm_group_set(p, group, 0, self), ordered);
    if (self < n - 1) {
        wm_value_send(p, &flow->value, flow->count, to);
        wm_planner_take(p, from, flow->offset, flow->count);
    } else {
        wm_value_settle(p, &flow->value, flow->offset, flow->count);
    }
    if (n > 1 && self != n - 2)
        wm_planner_give(p, to, flow->offset, flow->count);
    flow->value = wm_value_home(p, flow->offset);
}
