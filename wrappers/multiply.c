/* Butterfly of shares: the members combine from near to far, so that what each holds in between comes from neighbours
 * and stays one run under a non-commutative operator; the shares come out in the mirrored order of digits, and are
 * swapped at the end. n members, m bytes, radix k: log_k n (k-1) α + (n-1)/n m (β + γ) + α + m/n β, two rounds more
 * where members sit out (wrappers/pairs.h). Träff, "An improved algorithm for (non-commutative) reduce-scatter with an
 * application", 2005, which Open MPI calls butterfly; with radix k as in wrappers/butterfly.c. */
#include "wrappers/pairs.h"

/* The shares of seats first … first + width - 1, from the flow's offset. */
static struct wm_share seats_share(struct wm_planner *p, const struct wm_group *group, const struct wm_flow *whole,
                                   const struct wm_pairs *pairs, int first, int width)
{
    return wm_planner_share(p, group, whole, wm_pairs_low(pairs, first), wm_pairs_low(pairs, first + width));
}

/* The seat that ends the rounds with the share of `seat`: its digits in the opposite order. */
static int mirror(const struct wm_pairs *pairs, int seat)
{
    int mirrored = 0, width = pairs->seats;

    for (int weight = 1; weight < pairs->seats;) {
        int meeting = wm_pairs_meeting(pairs, weight);

        width /= meeting;
        mirrored += seat / width * weight;
        seat %= width;
        weight *= meeting;
    }
    return mirrored;
}

/* Give every seat that we meet its part of the seats first … first + width - 1, and keep ours. Returns its first. */
static int divide(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                  const struct wm_flow *whole, const struct wm_round *round, int first, int width, bool ordered)
{
    struct wm_value *value = &wm_planner_flow(p)->value;
    int part = width / (round->count + 1);
    struct wm_share all = seats_share(p, group, whole, pairs, first, width), kept;

    for (int i = 0; i < round->count; i++) {
        int peer = (round->own + i) % round->count, digit = peer + (peer >= round->own);
        struct wm_share given = seats_share(p, group, whole, pairs, first + digit * part, part);
        struct wm_value values = wm_value_part(p, value, given.delta - all.delta);

        wm_value_send(p, &values, given.count, round->peers[peer]);
    }
    first += round->own * part;
    kept = seats_share(p, group, whole, pairs, first, part);
    *value = wm_value_part(p, value, kept.delta - all.delta);
    wm_round_combine(p, round, value, whole->offset + kept.delta, kept.count, ordered);
    return first;
}

/* Send the shares of seat `first` to it, and get our own from where they are. */
static void swap_shares(struct wm_planner *p, const struct wm_group *group, const struct wm_pairs *pairs,
                        const struct wm_flow *whole, int first)
{
    struct wm_value *value = &wm_planner_flow(p)->value;
    struct wm_share theirs, own;

    if (first == pairs->seat)
        return;
    theirs = seats_share(p, group, whole, pairs, first, 1);
    own = seats_share(p, group, whole, pairs, pairs->seat, 1);
    wm_value_send(p, value, theirs.count, group->members[wm_pairs_low(pairs, first)]);
    wm_value_receive(p, value, whole->offset + own.delta, own.count,
                     group->members[wm_pairs_low(pairs, mirror(pairs, pairs->seat))],
                     wm_group_set(p, group, 0, group->size));
}

/* What is kept in the first round holds all that is kept later. */
static struct wm_round make_round(struct wm_planner *p, const struct wm_group *group, const struct wm_flow *whole,
                                  const struct wm_pairs *pairs)
{
    int meeting = wm_pairs_meeting(pairs, 1), part = pairs->seats / meeting;

    if (pairs->seat < 0)
        return wm_round_make(p, 0, 0);
    return wm_round_make(p, meeting - 1,
                         seats_share(p, group, whole, pairs, wm_pairs_digit(pairs, 1) * part, part).count);
}

void wm_multiply_combine(struct wm_planner *p, const struct wm_group *group, const struct wm_shape *shape, bool ordered)
{
    struct wm_flow whole = *wm_planner_flow(p);
    struct wm_pairs pairs = wm_pairs_make(group->size, group->self, shape->radix);
    struct wm_round round = make_round(p, group, &whole, &pairs);
    int first = 0, width = pairs.seats, meeting;

    wm_pairs_fold(p, group, &pairs, ordered);
    for (int weight = 1; pairs.seat >= 0 && weight < pairs.seats; weight *= meeting, width /= meeting) {
        meeting = wm_pairs_meeting(&pairs, weight);
        wm_round_meet(p, group, &pairs, weight, &round);
        first = divide(p, group, &pairs, &whole, &round, first, width, ordered);
    }
    if (pairs.seat >= 0)
        swap_shares(p, group, &pairs, &whole, first);
    wm_pairs_deal(p, group, &pairs, &whole);
}
