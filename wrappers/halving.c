/* Halving: recursive halving to shares, from far to near. log2 n α + (n-1)/n m (β + γ), two rounds more if n is no
 * power of 2. What a member holds in between comes from members that are not neighbours: under a non-commutative
 * operator it would be as many runs. Then it goes from near to far, as the butterfly does (wrappers/multiply.c);
 * where members do not follow each other in rank order either, that saves nothing, and costs a round more. */
#include "wrappers/pairs.h"

static struct wm_share seats_share(struct wm_planner *p, const struct wm_group *group, const struct wm_flow *flow,
                                   const struct wm_pairs *pairs, int low, int high)
{
    return wm_planner_share(p, group, flow, wm_pairs_low(pairs, low), wm_pairs_low(pairs, high));
}

/* Keep the half of the seats that holds our own; the block of the flow is that of the seats low … low + 2·mask - 1. */
static void halve(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                  const struct wm_flow *whole, struct wm_value *value, int mask, bool ordered)
{
    int partner = pairs->seat ^ mask, peer = group->members[wm_pairs_low(pairs, partner)];
    int low = pairs->seat & ~(2 * mask - 1), keep = pairs->seat & ~(mask - 1), give = partner & ~(mask - 1);
    struct wm_share all = seats_share(p, group, whole, pairs, low, low + 2 * mask);
    struct wm_share kept = seats_share(p, group, whole, pairs, keep, keep + mask),
                    given = seats_share(p, group, whole, pairs, give, give + mask);
    struct wm_value part = wm_value_part(p, value, given.delta - all.delta);

    wm_value_send(p, &part, given.count, peer);
    *value = wm_value_part(p, value, kept.delta - all.delta);
    wm_value_merge(p, value, whole->offset + kept.delta, kept.count, peer, NULL, ordered);
}

void wm_halving_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    (void)shape;
    wm_butterfly_spread(p, group, wm_shape_plain(WM_SHAPE_BUTTERFLY));
}

/* Seat s ends with the shares of its members; the one who sits out gets its own back. */
void wm_halving_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p), whole = *flow;
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self, 2);

    (void)shape;
    if (!wm_planner_call(p)->commutative) {
        wm_multiply_combine(p, group, wm_shape_plain(WM_SHAPE_BUTTERFLY), ordered);
        return;
    }
    wm_pairs_fold(p, group, &pairs, ordered);
    for (int mask = pairs.seats / 2; pairs.seat >= 0 && mask >= 1; mask /= 2)
        halve(p, group, &pairs, &whole, &flow->value, mask, ordered);
    wm_pairs_deal(p, group, &pairs, &whole);
}
