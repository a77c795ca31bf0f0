/* Halving: recursive halving to shares, and recursive doubling of shares to the whole. */
#include "wrappers/pairs.h"

static struct wm_share seats_share(const struct wm_flow *flow, const struct wm_pairs *pairs, int low, int high)
{
    return wm_share_of(flow, pairs->members, wm_pairs_low(pairs, low), wm_pairs_low(pairs, high));
}

/* What the partner holds when groups of 2·mask seats halve: contributions of all seats that equal it below. */
static const uint64_t *halving_set(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                                   int seat, int mask)
{
    uint64_t *set = wm_planner_set_new(p);

    for (int other = seat % (2 * mask); set != NULL && other < pairs->seats; other += 2 * mask)
        wm_planner_set_unite(p, set,
                             wm_group_set(p, group, wm_pairs_low(pairs, other), wm_pairs_low(pairs, other + 1)));
    return set;
}

/* Keep the half of the seats that holds our own; the block of the flow is that of the seats low … low + 2·mask - 1. */
static void halve(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                  const struct wm_flow *whole, struct wm_value *value, int mask, bool ordered)
{
    int partner = pairs->seat ^ mask, peer = group->members[wm_pairs_low(pairs, partner)];
    int low = pairs->seat & ~(2 * mask - 1), keep = pairs->seat & ~(mask - 1), give = partner & ~(mask - 1);
    struct wm_share all = seats_share(whole, pairs, low, low + 2 * mask);
    struct wm_share kept = seats_share(whole, pairs, keep, keep + mask),
                    given = seats_share(whole, pairs, give, give + mask);
    struct wm_value part = wm_value_part(p, value, given.delta - all.delta);

    wm_value_send(p, &part, given.count, peer);
    *value = wm_value_part(p, value, kept.delta - all.delta);
    wm_value_merge(p, value, whole->offset + kept.delta, kept.count, peer, halving_set(p, group, pairs, partner, mask),
                   ordered);
}

/* Seat s ends with the shares of its members; the one who sits out gets its own back. */
void wm_halving_combine(struct wm_planner *p, const struct wm_group *group, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p), whole = *flow;
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self);

    wm_pairs_fold(p, group, &pairs, ordered);
    for (int mask = pairs.seats / 2; pairs.seat >= 0 && mask >= 1; mask /= 2)
        halve(p, group, &pairs, &whole, &flow->value, mask, ordered);
    if (pairs.partner >= 0) {
        int odd = pairs.seat < 0 ? group->self : pairs.partner;
        struct wm_share even_share = wm_share_of(&whole, group->size, odd - 1, odd);
        struct wm_share odd_share = wm_share_of(&whole, group->size, odd, odd + 1);
        struct wm_value part = wm_value_part(p, &flow->value, pairs.seat < 0 ? 0 : even_share.count);

        wm_pairs_unfold(p, group, &pairs, &part, whole.offset + odd_share.delta, odd_share.count);
        if (pairs.seat < 0)
            flow->value = part;
    }
}

void wm_halving_spread(struct wm_planner *p, const struct wm_group *group)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self);

    if (pairs.partner >= 0) {
        int odd = pairs.seat < 0 ? group->self : pairs.partner;
        struct wm_share share = wm_share_of(flow, group->size, odd, odd + 1);
        struct wm_ref home = wm_planner_home(p, flow->offset + share.delta);

        if (pairs.seat < 0)
            wm_planner_send(p, group->members[pairs.partner], home, share.count);
        else
            wm_planner_recv(p, group->members[pairs.partner], home, share.count);
    }
    for (int mask = 1; pairs.seat >= 0 && mask < pairs.seats; mask *= 2) {
        int low = pairs.seat & ~(mask - 1), other = (pairs.seat ^ mask) & ~(mask - 1);
        int peer = group->members[wm_pairs_low(&pairs, pairs.seat ^ mask)];
        struct wm_share mine = seats_share(flow, &pairs, low, low + mask);
        struct wm_share theirs = seats_share(flow, &pairs, other, other + mask);

        wm_planner_send(p, peer, wm_planner_home(p, flow->offset + mine.delta), mine.count);
        wm_planner_recv(p, peer, wm_planner_home(p, flow->offset + theirs.delta), theirs.count);
    }
    if (pairs.partner >= 0 && pairs.seat < 0)
        wm_planner_recv(p, group->members[pairs.partner], wm_planner_home(p, flow->offset), flow->count);
    else if (pairs.partner >= 0)
        wm_planner_send(p, group->members[pairs.partner], wm_planner_home(p, flow->offset), flow->count);
}
