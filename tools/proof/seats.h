/* Seats: the shared steps of all ranks' plans, put in such an order that those that meet stand side by side.
 *
 * The k-th shared step that a rank lists with certain members meets the k-th of each of those with the same list. The
 * plans need not be right, but that a shared step's rank is the member that it says to be. Pure. */
#ifndef WM_PROOF_SEATS_H
#define WM_PROOF_SEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/plan/plan.h"

/* Of the shared steps that a rank lists with the same members, so many may be under way at once. */
enum { WM_SEATS_WINDOW = 4 };

struct wm_seat {
    const struct wm_shared *shared;
    uint64_t list; /* equal for equal lists of members */
    int rank, step;
    int turn; /* the how many-th of its rank with these members, from 0 */
    int held; /* the step of its rank that may not begin before this one is over; 0: none */
};

/* All seats: by the first member and the rest of them, turn, and member. Returns 0 or -WM_ENOMEM; *seats is the
 * caller's to free, NULL when there are none. */
int wm_seats_list(struct wm_plan *const *plans, int ranks, struct wm_seat **seats, size_t *count);

/* How many of `count` seats, from the first on, meet each other. */
size_t wm_seats_together(const struct wm_seat *seats, size_t count);
/* The first member that is missing among so many; -1: none. */
int wm_seats_missing(const struct wm_seat *seats, size_t together);

#endif
