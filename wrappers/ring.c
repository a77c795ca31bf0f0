/* Ring: shares travel from neighbour to neighbour. n members, m bytes: combine (n-1) α + (n-1)/n m (β + γ), spread
 * (n-1) α + (n-1)/n m β. Under a non-commutative operator the ring is cut to a line, so that what travels is one run.
 * A whole value goes round twice: 2 (n-1) (α + m β), the barrier that Open MPI calls double ring. */
#include "wrappers/shapes.h"

/* One way along the line, 1 up or -1 down: the share of the member `ahead` places on comes from the member before, if
 * there is one, with the contributions of `set`, and goes on. Our own stays, in *own. */
static void pass_on(struct wm_planner *p, const struct wm_group *group, int way, int ahead,
                    const struct wm_rank_set *set, struct wm_value *own)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int last = group->size - 1, before = way > 0 ? group->self : last - group->self, to = group->self + way * ahead;
    struct wm_share share;
    struct wm_value value = *own;

    if (before + ahead > last)
        return;
    share = wm_planner_share(p, group, flow, to, to + 1);
    if (ahead > 0)
        value = wm_value_part(p, &flow->value, share.delta);
    if (before > 0)
        wm_value_merge(p, &value, flow->offset + share.delta, share.count, group->members[group->self - way], set,
                       true);
    if (ahead > 0)
        wm_value_send(p, &value, share.count, group->members[group->self + way]);
    else
        *own = value;
}

/* What members below b have of its share goes up to it, what those above have comes down: each member passes each share
 * on once. The farthest go first, so that all end in round n-1. */
static void line_combine(struct wm_planner *p, const struct wm_group *group)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    const struct wm_rank_set *below = wm_group_set(p, group, 0, self), *above = wm_group_set(p, group, self + 1, n);
    struct wm_value own = wm_value_part(p, &flow->value, wm_planner_share(p, group, flow, self, self + 1).delta);

    for (int ahead = n - 1; ahead >= 0; ahead--) {
        pass_on(p, group, 1, ahead, below, &own);
        pass_on(p, group, -1, ahead, above, &own);
    }
    flow->value = own;
}

/* The share of member b starts at b+1, is combined by everyone on its way, and ends at b. */
void wm_ring_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    int to = group->members[(self + 1) % n], from = group->members[(self + n - 1) % n];
    struct wm_share share = wm_planner_share(p, group, flow, (self + n - 1) % n, (self + n - 1) % n + 1);
    struct wm_value value = wm_value_part(p, &flow->value, share.delta);

    (void)shape;
    if (!wm_planner_call(p)->commutative) {
        line_combine(p, group);
        return;
    }
    for (int round = 0; round < n - 1; round++) {
        int next = (self + 2 * n - 2 - round) % n;

        if (wm_planner_omits(p, round, n - 1))
            continue;
        wm_value_send(p, &value, share.count, to);
        share = wm_planner_share(p, group, flow, next, next + 1);
        value = wm_value_part(p, &flow->value, share.delta);
        wm_value_merge(p, &value, flow->offset + share.delta, share.count, from, NULL, ordered);
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
