/* Siblings in a call: those of a communicator's ranks that are in one process make one call of it, once all have come.
 *
 * That is for blocking calls in which nobody gets anything before all have come (barrier, allreduce), and which every
 * sibling finds again as its last one of the operation (core/call/again.h). Who comes leaves its buffers here, and
 * sleeps; the last one to come runs a joint plan (core/shared/joint_plan.h), and wakes the others. Other processes see
 * no difference: all other calls, and those of siblings that cannot, are run by each rank for itself. Who begins one so
 * wakes those that have come to it already, and they do, too. So nobody waits for a sibling that will not come. */
#ifndef WM_SUBRANK_SIBLINGS_H
#define WM_SUBRANK_SIBLINGS_H

#include "core/subrank/collective.h"

/* A blocking call of the user's begins; no other is under way at this rank. Returns true when it is over; false: the
 * rank has to run it for itself, and the others do. */
bool wm_siblings_meet(struct wm_rank_plans *plans, const struct wm_call *call);

/* A call that was found again will be run by the rank for itself: perhaps the next one that is its equal need not be.
 */
void wm_siblings_look(struct wm_rank_comm *comm, const struct wm_last_call *last, enum wm_operation operation);

/* A rank begins a call for itself: that of this number, from 1, on the communicator. */
void wm_siblings_part(struct wm_rank_plans *plans, uint32_t ordinal);

/* The communicator goes. */
void wm_siblings_leave(struct wm_rank_plans *plans);

#endif
