/* Direct: every member sends every other its share in one message. n members, m bytes of all: (n-1) α + (n-1)/n m (β +
 * γ), all under way at once, W each way (flat W), or in rounds: in round r with the members r places on and back, once
 * both messages of the round before are done (pairwise). The message to the member r places on has number r at both its
 * ends and waits for messages with lower numbers alone: so none can wait for itself. */
#include "wrappers/shapes.h"

/* When messages may go. */
struct turns {
    struct wm_window sends, receives;
    bool rounds;
    int sent, received; /* the last steps before this round, -1: none */
};

static struct turns make_turns(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    int width = shape->kind == WM_SHAPE_FLAT ? shape->radix : 0;

    return (struct turns){wm_window_make(p, group, width), wm_window_make(p, group, width),
                          shape->kind == WM_SHAPE_PAIRWISE, -1, -1};
}

/* What is asked for next is a message of this round. */
static void await_turn(struct wm_planner *p, const struct turns *turns, const struct wm_window *window, size_t count)
{
    wm_window_open(p, window, count);
    if (turns->rounds && count > 0) {
        wm_planner_after(p, turns->sent);
        wm_planner_after(p, turns->received);
    }
}

static void end_round(struct turns *turns, int sent, int received)
{
    wm_window_pass(&turns->sends, sent);
    wm_window_pass(&turns->receives, received);
    turns->sent = sent >= 0 ? sent : turns->sent;
    turns->received = received >= 0 ? received : turns->received;
}

/* Peers are taken in turn from the neighbour on, so that no member is everyone's first. */
void wm_direct_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    struct wm_share own = wm_planner_share(p, group, flow, self, self + 1);
    struct wm_value value = wm_value_part(p, &flow->value, own.delta);
    struct turns turns = make_turns(p, group, shape);

    if (n > 2 && !ordered && wm_planner_call(p)->commutative)
        wm_value_settle(p, &value, flow->offset + own.delta, own.count);
    for (int round = 1; round < n; round++) {
        int to = (self + round) % n, from = (self + n - round) % n, sent, received;
        struct wm_share share = wm_planner_share(p, group, flow, to, to + 1);
        struct wm_value part = wm_value_part(p, &flow->value, share.delta);

        await_turn(p, &turns, &turns.sends, share.count);
        sent = wm_value_send(p, &part, share.count, group->members[to]);
        await_turn(p, &turns, &turns.receives, own.count);
        received = wm_value_merge(p, &value, flow->offset + own.delta, own.count, group->members[from],
                                  wm_group_set(p, group, from, from + 1), ordered);
        end_round(&turns, sent, received);
    }
    flow->value = value;
}

void wm_direct_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int n = group->size, self = group->self;
    struct wm_share own = wm_planner_share(p, group, flow, self, self + 1);
    struct turns turns = make_turns(p, group, shape);

    for (int round = 1; round < n; round++) {
        int to = (self + round) % n, from = (self + n - round) % n, sent, received;
        struct wm_share share = wm_planner_share(p, group, flow, from, from + 1);

        await_turn(p, &turns, &turns.sends, own.count);
        sent = wm_planner_give(p, group->members[to], flow->offset + own.delta, own.count);
        await_turn(p, &turns, &turns.receives, share.count);
        received = wm_planner_take(p, group->members[from], flow->offset + share.delta, share.count);
        end_round(&turns, sent, received);
    }
}
