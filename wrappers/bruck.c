/* Bruck's allgather, radix k: in the round of weight w = 1, k, k^2, … each member gets from those w, 2w, … (k-1)w
 * places on the w blocks that they have by then, theirs and the next ones; ranges that wrap around go as two messages.
 * n members, m bytes of all: ceil(log_k n) rounds of k - 1 messages, log_k n (k-1) α + (n-1)/n m β. Blocks come
 * straight to their places, so that nothing is turned at the end. Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient
 * algorithms for all-to-all communications in multiport message-passing systems", 1997. */
#include "wrappers/shapes.h"

/* Move the blocks of `count` members from `first` on, around the end. */
static void move_blocks(struct wm_planner *p, const struct wm_group *group, int peer, int first, int count,
                        int (*move)(struct wm_planner *, int, size_t, size_t))
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int high = first + count < group->size ? first + count : group->size, wrapped = first + count - high;
    struct wm_share share = wm_planner_share(p, group, flow, first, high);

    move(p, group->members[peer], flow->offset + share.delta, share.count);
    if (wrapped == 0)
        return;
    share = wm_planner_share(p, group, flow, 0, wrapped);
    move(p, group->members[peer], flow->offset + share.delta, share.count);
}

void wm_bruck_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    int n = group->size, self = group->self, radix = shape->radix;

    for (int weight = 1; weight < n; weight *= radix) {
        for (int i = 1; i < radix && i * weight < n; i++) {
            int left = n - i * weight;

            move_blocks(p, group, (self + left) % n, self, left < weight ? left : weight, wm_planner_give);
        }
        for (int i = 1; i < radix && i * weight < n; i++) {
            int from = (self + i * weight) % n, left = n - i * weight;

            move_blocks(p, group, from, from, left < weight ? left : weight, wm_planner_take);
        }
    }
}
