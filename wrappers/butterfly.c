/* Butterfly: recursive multiplying by a radix k, among any number of members (wrappers/pairs.h); k = 2 is recursive
 * doubling. n members, m bytes. Combine: ceil(log_k n) rounds of k - 1 messages at once, so
 * log_k n (α + (k-1) m β + (k-1) m γ), and k - 1 temporaries of m bytes. Spread: log_k n (k-1) α + (n-1)/n m β. Both:
 * two rounds of m more where members sit out. Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication
 * Operations in MPICH", 2005, 4.5 (doubling); Ruefenacht, Bull, Booth, "Generalisation of recursive doubling for
 * AllReduce", 2017 (multiplying). */
#include "wrappers/pairs.h"

struct wm_round wm_round_make(struct wm_planner *p, int peers, size_t count)
{
    struct wm_round round = {0, 0, wm_planner_allocate(p, sizeof *round.peers * (size_t)(peers + 1)),
                             wm_planner_allocate(p, sizeof *round.sets * (size_t)(peers + 1)),
                             wm_planner_allocate(p, sizeof *round.places * (size_t)(peers + 1))};

    for (int i = 0; peers > 1 && wm_planner_call(p)->commutative && round.places != NULL && i < peers; i++)
        round.places[i] = wm_planner_temporary(p, count);
    return round;
}

/* All messages are received before any is combined at home, which waits for the sends of the round: a receive that
 * waited for a place to be free would wait for the others' sends, and they for ours. */
static void combine_commutative(struct wm_planner *p, const struct wm_round *round, struct wm_value *value,
                                size_t offset, size_t count, bool ordered)
{
    struct wm_ref home = wm_planner_home(p, offset);

    wm_value_settle(p, value, offset, count);
    for (int i = 0; i < round->count; i++)
        wm_planner_recv(p, round->peers[i], round->places[i], count);
    for (int i = 0; i < round->count; i++)
        wm_planner_reduce(p, round->places[i], ordered && i + 1 < round->own ? round->places[i + 1] : home, count,
                          ordered);
}

void wm_round_combine(struct wm_planner *p, const struct wm_round *round, struct wm_value *value, size_t offset,
                      size_t count, bool ordered)
{
    if (round->places == NULL || count == 0)
        return;
    if (round->count == 1)
        wm_value_merge(p, value, offset, count, round->peers[0], round->sets[0], ordered);
    else if (wm_planner_call(p)->commutative)
        combine_commutative(p, round, value, offset, count, ordered);
    else
        wm_value_merge_all(p, value, count, round->count, round->peers, round->sets);
}

/* What a seat holds before the round of `weight`: the contributions of its block of so many seats. */
static const struct wm_rank_set *seats_set(struct wm_planner *p, const struct wm_group *group,
                                           const struct wm_pairs *pairs, int seat, int weight)
{
    int low = seat - seat % weight;

    return wm_group_set(p, group, wm_pairs_low(pairs, low), wm_pairs_low(pairs, low + weight));
}

void wm_round_meet(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs, int weight,
                   struct wm_round *round)
{
    int meeting = wm_pairs_meeting(pairs, weight), digit = wm_pairs_digit(pairs, weight);

    round->count = 0;
    round->own = digit;
    for (int other = 0; round->places != NULL && other < meeting; other++) {
        int seat = pairs->seat + (other - digit) * weight;

        if (other == digit)
            continue;
        round->peers[round->count] = group->members[wm_pairs_low(pairs, seat)];
        round->sets[round->count++] = seats_set(p, group, pairs, seat, weight);
    }
}

/* In one order always: each member combines for itself, and all must get the same bits. */
void wm_butterfly_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape,
                          bool ordered)
{
    struct wm_flow *flow = wm_planner_flow(p);
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self, shape->radix);
    struct wm_round round = wm_round_make(p, pairs.seat < 0 ? 0 : wm_pairs_meeting(&pairs, 1) - 1, flow->count);

    (void)ordered;
    wm_pairs_fold(p, group, &pairs, true);
    for (int weight = 1; pairs.seat >= 0 && weight < pairs.seats; weight *= wm_pairs_meeting(&pairs, weight)) {
        wm_round_meet(p, group, &pairs, weight, &round);
        for (int i = 0; i < round.count; i++)
            wm_value_send(p, &flow->value, flow->count, round.peers[(round.own + i) % round.count]);
        wm_round_combine(p, &round, &flow->value, flow->offset, flow->count, true);
    }
    wm_pairs_unfold(p, group, &pairs, &flow->value, flow->offset, flow->count);
}

/* Exchange the block of `weight` seats that every seat has by now. */
static void spread_round(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs, int weight)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    int meeting = wm_pairs_meeting(pairs, weight), digit = wm_pairs_digit(pairs, weight);
    int low = pairs->seat - pairs->seat % weight;
    struct wm_share mine =
        wm_planner_share(p, group, flow, wm_pairs_low(pairs, low), wm_pairs_low(pairs, low + weight));

    for (int i = 1; i < meeting; i++) {
        int seat = pairs->seat + ((digit + i) % meeting - digit) * weight;

        wm_planner_give(p, group->members[wm_pairs_low(pairs, seat)], flow->offset + mine.delta, mine.count);
    }
    for (int i = 1; i < meeting; i++) {
        int step = ((digit + meeting - i) % meeting - digit) * weight, other = low + step;
        struct wm_share theirs =
            wm_planner_share(p, group, flow, wm_pairs_low(pairs, other), wm_pairs_low(pairs, other + weight));

        wm_planner_take(p, group->members[wm_pairs_low(pairs, pairs->seat + step)], flow->offset + theirs.delta,
                        theirs.count);
    }
}

void wm_butterfly_spread(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape)
{
    const struct wm_flow *flow = wm_planner_flow(p);
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self, shape->radix);
    int partner = pairs.partner >= 0 ? group->members[pairs.partner] : -1;
    int odd = pairs.seat < 0 ? group->self : pairs.partner;
    struct wm_share share = {0};

    if (partner >= 0)
        share = wm_planner_share(p, group, flow, odd, odd + 1);
    if (pairs.seat < 0) {
        wm_planner_give(p, partner, flow->offset + share.delta, share.count);
        wm_planner_take(p, partner, flow->offset, flow->count);
        return;
    }
    wm_planner_take(p, partner, flow->offset + share.delta, share.count);
    for (int weight = 1; weight < pairs.seats; weight *= wm_pairs_meeting(&pairs, weight))
        spread_round(p, group, &pairs, weight);
    if (partner >= 0)
        wm_planner_give(p, partner, flow->offset, flow->count);
}
