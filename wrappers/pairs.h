/* Pairs: how algorithms for powers of two, or of another radix, serve any number of members.
 *
 * The seats are the largest f k^t that is no more than the members, with f < k: so they are more than half of them, and
 * all if there are no more than k. With r members more than seats the first 2r form pairs; the odd one of a pair gives
 * its value to the even one and sits out. Those who stay take the seats in the order of members, so that neighbours
 * stay neighbours. In a round of weight w = 1, k, k^2, …, k^t the seats whose numbers differ in the digit of weight w
 * alone meet: k of them, in the last round f. For k = 2 the seats are a power of 2, and no such round is left. */
#ifndef WM_PAIRS_H
#define WM_PAIRS_H

#include "wrappers/shapes.h"

struct wm_pairs {
    int members, seats, radix;
    int seat;    /* of this member; -1: it sits out */
    int partner; /* the other member of its pair; -1: it has none */
};

struct wm_pairs wm_pairs_make(int members, int self, int radix);
/* How many seats meet in a round of weight `weight`. */
int wm_pairs_meeting(const struct wm_pairs *pairs, int weight);
/* This seat's number among them. */
int wm_pairs_digit(const struct wm_pairs *pairs, int weight);
/* First member of a seat; members of seats low … high-1 are wm_pairs_low(low) … wm_pairs_low(high)-1. */
int wm_pairs_low(const struct wm_pairs *pairs, int seat);
/* Those who sit out give their value to their partner. */
void wm_pairs_fold(struct wm_planner *planner, const struct wm_group *group, const struct wm_pairs *pairs,
                   bool ordered);
/* Partners send `value`, for the block of `count` units at `offset`, with the contributions of the whole group, to
 * those who sit out; theirs is replaced by it. */
void wm_pairs_unfold(struct wm_planner *planner, const struct wm_group *group, const struct wm_pairs *pairs,
                     struct wm_value *value, size_t offset, size_t count);
/* The flow's value is that of the shares of a seat's members: give the one who sits out its own. `whole` is the flow
 * with the whole block. */
void wm_pairs_deal(struct wm_planner *planner, const struct wm_group *group, const struct wm_pairs *pairs,
                   const struct wm_flow *whole);
/* Whom this seat meets in the round of `weight`, where each seat holds what its block of so many seats brought. */
void wm_round_meet(struct wm_planner *planner, const struct wm_group *group, const struct wm_pairs *pairs, int weight,
                   struct wm_round *round);

#endif
