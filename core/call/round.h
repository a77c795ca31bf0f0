/* Rounds: what a call takes under either of the maps that are tried (core/call/trial.h).
 *
 * A round is four blocks of blocking calls of one operation and size class: under the map that held, twice under the
 * tried one, and under the former again, so that what changes steadily meanwhile counts for both alike (ABBA). All
 * ranks count alike, so nothing is agreed. A call's time is from when the last rank came to it to when the last one
 * left it: behind the last call of a round the ranks compare their clocks (core/call/clocks.h) and take the maxima of
 * their times by rank 0's, in one allreduce. So all ranks know the same medians, and world rank 0 shows them
 * (wm_epochs_show).
 *
 * Hold the communicator's lock. */
#ifndef WM_CALL_ROUND_H
#define WM_CALL_ROUND_H

#include "core/call/trial.h"
#include "waymark/call.h"

/* A blocking call begins, the queue is empty, and there is a trial: turn to the map that it is to have. Returns what to
 * hand to wm_round_leave; NULL: it is not measured. */
struct wm_tried_kind *wm_round_come(struct wm_comm *comm, const struct wm_call *call);

/* It is over. The map that held before holds again. Blocks at the end of a round until all ranks come to it. */
void wm_round_leave(struct wm_comm *comm, struct wm_tried_kind *kind);

#endif
