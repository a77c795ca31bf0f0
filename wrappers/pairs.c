/* Pairs: folding a group to a power of two, or a multiple of a power, and back. */
#include "wrappers/pairs.h"

struct wm_pairs wm_pairs_make(int members, int self, int radix)
{
    struct wm_pairs pairs = {members, 1, radix, -1, -1};
    int rest;

    while (pairs.seats <= members / radix)
        pairs.seats *= radix;
    pairs.seats *= members / pairs.seats;
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

int wm_pairs_meeting(const struct wm_pairs *pairs, int weight)
{
    int left = pairs->seats / weight;

    return left < pairs->radix ? left : pairs->radix;
}

int wm_pairs_digit(const struct wm_pairs *pairs, int weight)
{
    return pairs->seat / weight % wm_pairs_meeting(pairs, weight);
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

void wm_pairs_deal(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                   const struct wm_flow *whole)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share even_share, odd_share;
    struct wm_value part;
    int odd;

    if (pairs->partner < 0)
        return;
    odd = pairs->seat < 0 ? group->self : pairs->partner;
    even_share = wm_planner_share(p, group, whole, odd - 1, odd);
    odd_share = wm_planner_share(p, group, whole, odd, odd + 1);
    part = wm_value_part(p, &flow->value, pairs->seat < 0 ? 0 : even_share.count);
    wm_pairs_unfold(p, group, pairs, &part, whole->offset + odd_share.delta, odd_share.count);
    if (pairs->seat < 0)
        flow->value = part;
}
