/* Pairs: folding a group to a power of two and back. */
#include "wrappers/pairs.h"

struct wm_pairs wm_pairs_make(int members, int self)
{
    struct wm_pairs pairs = {members, 1, -1, -1};
    int rest;

    while (2 * pairs.seats <= members)
        pairs.seats *= 2;
    rest = members - pairs.seats;
    if (self < 2 * rest)
        pairs.partner = self ^ 1;
    if (self >= 2 * rest || self % 2 == 0)
        pairs.seat = self < 2 * rest ? self / 2 : self - rest;
    return pairs;
}

int wm_pairs_low(const struct wm_pairs *pairs, int seat)
{
    int rest = pairs->members - pairs->seats;

    return seat < rest ? 2 * seat : seat + rest;
}

void wm_pairs_fold(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);

    if (pairs->partner < 0)
        return;
    if (pairs->seat < 0)
        wm_value_send(p, &flow->value, flow->count, group->members[pairs->partner]);
    else
        wm_value_merge(p, &flow->value, flow->offset, flow->count, group->members[pairs->partner],
                       wm_group_set(p, group, pairs->partner, pairs->partner + 1), ordered);
}

void wm_pairs_unfold(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                     struct wm_value *value, size_t offset, size_t count)
{
    if (pairs->partner < 0)
        return;
    if (pairs->seat < 0)
        wm_value_receive(p, value, offset, count, group->members[pairs->partner],
                         wm_group_set(p, group, 0, group->size));
    else
        wm_value_send(p, value, count, group->members[pairs->partner]);
}
