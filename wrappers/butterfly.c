/* Butterfly: recursive doubling among any number of members. */
#include "wrappers/shapes.h"
#include "wrappers/pairs.h"

/* What the partner holds before the round with `mask`: the contributions of its block of `mask` seats. */
static const uint64_t *seats_set(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                                 int seat, int mask)
{
    int low = seat & ~(mask - 1);

    return wm_group_set(p, group, wm_pairs_low(pairs, low), wm_pairs_low(pairs, low + mask));
}

void wm_butterfly_combine(struct wm_planner *p, const struct wm_group *group, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self);

    wm_pairs_fold(p, group, &pairs, ordered);
    for (int mask = 1; pairs.seat >= 0 && mask < pairs.seats; mask *= 2) {
        int partner = pairs.seat ^ mask, peer = group->members[wm_pairs_low(&pairs, partner)];

        wm_value_send(p, &flow->value, flow->count, peer);
        wm_value_merge(p, &flow->value, flow->offset, flow->count, peer, seats_set(p, group, &pairs, partner, mask),
                       ordered);
    }
    wm_pairs_unfold(p, group, &pairs, &flow->value, flow->offset, flow->count);
}
