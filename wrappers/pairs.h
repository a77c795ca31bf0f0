/* Pairs: how algorithms for powers of two serve any number of members.
 *
 * With n = 2^k + r members, the first 2r form pairs; the odd one of a pair gives its value to the even one and sits
 * out. The 2^k that stay take seats 0 … 2^k-1 in the order of members, so that neighbours stay neighbours. */
#ifndef WM_PAIRS_H
#define WM_PAIRS_H

#include "wrappers/shapes.h"

struct wm_pairs {
    int members, seats; /* n and 2^k */
    int seat;           /* of this member; -1: it sits out */
    int partner;        /* the other member of its pair; -1: it has none */
};

struct wm_pairs wm_pairs_make(int members, int self);
/* First member of a seat; members of seats low … high-1 are wm_pairs_low(low) … wm_pairs_low(high)-1. */
int wm_pairs_low(const struct wm_pairs *pairs, int seat);
/* Those who sit out give their value to their partner. */
void wm_pairs_fold(struct wm_planner *planner, const struct wm_group *group, const struct wm_pairs *pairs,
                   bool ordered);
/* Partners send `value`, for the block of `count` units at `offset`, with the contributions of the whole group, to
 * those who sit out; theirs is replaced by it. */
void wm_pairs_unfold(struct wm_planner *planner, const struct wm_group *group, const struct wm_pairs *pairs,
                     struct wm_value *value, size_t offset, size_t count);

#endif
