/* Values: sending, combining and settling what a rank holds of a block. See core/plan/planner.h for what a value is. */
#ifndef WM_VALUE_H
#define WM_VALUE_H

#include "core/plan/planner.h"

/* The part of a value that stands for `count` units from `delta` units into its block: a new value, same buffers. */
struct wm_value wm_value_part(struct wm_planner *planner, const struct wm_value *value, size_t delta);

/* Send all runs, `count` units each, to a rank. Returns the number of the last message's step, or -1. */
int wm_value_send(struct wm_planner *planner, const struct wm_value *value, size_t count, int peer);

/* Receive what `peer` holds for the block of `count` units at `offset`, with the contributions of `set` (NULL when the
 * operator commutes), and combine it with `value`, which changes place. `ordered` as in wm_planner_reduce.
 * Returns the number of the last message's step, or -1. */
int wm_value_merge(struct wm_planner *planner, struct wm_value *value, size_t offset, size_t count, int peer,
                   const struct wm_rank_set *set, bool ordered);

/* The same with `peer_count` ranks, all received before any is combined: whoever ends with the same contributions has
 * then combined them alike. For an operator that does not commute. */
void wm_value_merge_all(struct wm_planner *planner, struct wm_value *value, size_t count, int peer_count,
                        const int *peers, const struct wm_rank_set *const *sets);

/* Receive all that `peer` sends for the block, with the contributions of `set`, in the place of `value`. */
void wm_value_receive(struct wm_planner *planner, struct wm_value *value, size_t offset, size_t count, int peer,
                      const struct wm_rank_set *set);

/* Bring a value of one run home. */
void wm_value_settle(struct wm_planner *planner, struct wm_value *value, size_t offset, size_t count);

/* A value that stands at home. */
struct wm_value wm_value_home(struct wm_planner *planner, size_t offset);

#endif
