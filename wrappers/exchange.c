/* Neighbour exchange: members in pairs give each other what they got last from the neighbour on the other side. An even
 * number n of members, m bytes of all: n/2 α + (n-1)/n m β. An odd number goes as ring, n - 1 rounds.
 * Chen, Zhang, Chen, Zhang, Yuan, "Performance evaluation of Allgather algorithms on Terascale Linux cluster with Fast
 * Ethernet", 2005. */
#include "wrappers/shapes.h"

static void give_blocks(struct wm_planner *p, const struct wm_group *group, int to, int first, int blocks)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share share = wm_planner_share(p, group, flow, first, first + blocks);

    wm_planner_give(p, group->members[to], flow->offset + share.delta, share.count);
}

static void take_blocks(struct wm_planner *p, const struct wm_group *group, int from, int first, int blocks)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_share share = wm_planner_share(p, group, flow, first, first + blocks);

    wm_planner_take(p, group->members[from], flow->offset + share.delta, share.count);
}

/* In even rounds with the other member of one's pair, in odd ones with the neighbour beyond; after the first round two
 * blocks at a time, those of a pair. The pairs whose blocks come from a side lie ever farther on that side. */
static void exchange_pairs(struct wm_planner *p, const struct wm_group *group)
{
    int n = group->size, self = group->self, pair = self & ~1, toward = self % 2 == 0 ? 1 : -1;
    int neighbours[2] = {self ^ 1, (self - toward + n) % n};

    give_blocks(p, group, neighbours[0], self, 1);
    take_blocks(p, group, neighbours[0], neighbours[0], 1);
    for (int round = 1, sent = pair; round < n / 2; round++) {
        int far = 2 * ((round + 1) / 2) * (round % 2 == 1 ? -toward : toward);
        int got = (pair + far + n) % n;

        give_blocks(p, group, neighbours[round % 2], sent, 2);
        take_blocks(p, group, neighbours[round % 2], got, 2);
        sent = got;
    }
}

void wm_exchange_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    if (group->size % 2 == 0)
        exchange_pairs(p, group);
    else
        wm_ring_spread(p, group, shape);
}
