/* Dissemination: in the round of weight w = 1, k, k^2, … each member tells those w, 2w, … (k-1)w places on what it
 * knows, and waits for as many. ceil(log_k n) rounds, each (α + (k-2) g) with g the gap between two messages.
 * Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988 (k = 2); Hoefler et al., "Fast barrier
 * synchronization for InfiniBand", 2006 (k - 1 at once). */
#include "wrappers/shapes.h"

void wm_dissemination_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                              bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self, radix = shape->radix;
    struct wm_round round = wm_round_make(p, radix < n ? radix - 1 : n - 1, flow->count);

    (void)ordered; /* values of no bytes */
    for (int weight = 1; round.places != NULL && weight < n; weight *= radix) {
        round.count = 0;
        for (int i = 1; i < radix && i * weight < n; i++) {
            wm_value_send(p, &flow->value, flow->count, group->members[(self + i * weight) % n]);
            round.peers[round.count++] = group->members[(self + n - i * weight) % n];
        }
        wm_round_combine(p, &round, &flow->value, flow->offset, flow->count, false);
    }
}
