/* Requests: nonblocking and persistent calls on their way.
 *
 * States of a call: queued (its path is not looked up yet: calls before it still wait for theirs, or it asks the map
 * itself), sizing (ranks tell each other sizes), flying, native (the library's own collective, on the shadow, where the
 * order of all ranks' calls is that of the queue), over. It is begun and progressed by wm_requests_advance, which the
 * MPI library's progress calls (core/call/progress.h), and whoever waits for something on the same communicator.
 *
 * What the user holds: of a nonblocking call a generalised request, completed when the call is over; of a persistent
 * one the carrier, a persistent receive of the process from itself, to which a message is sent when the call is over.
 * So all completion calls are the library's own.
 *
 * Types and operators that the user frees meanwhile live on: the call holds them (core/call/retain.h). */
#ifndef WM_REQUEST_H
#define WM_REQUEST_H

#include "core/call/cache.h"
#include "core/call/comm.h"

/* Do what can be done for the calls on `comm`; never blocks. Hold its lock. Returns how many calls are over. */
int wm_requests_advance(struct wm_comm *comm);

/* Wait until the queue is empty, and the shadow there; until nothing is aloft, but for persistent requests or with
 * them. Hold the lock. */
void wm_requests_settle(struct wm_comm *comm);
void wm_requests_finish(struct wm_comm *comm, bool persistent);

/* Queue the making of a child's shadow: the library's nonblocking calls on the shadow, of which that is made, come in
 * the same order on all ranks. Hold the lock. */
void wm_requests_bear(struct wm_comm *comm, struct wm_comm *child);

/* A number for a flight of the next call; waits while too many are in the air. Hold the lock; the queue is empty. */
uint32_t wm_requests_number(struct wm_comm *comm);

/* Free what inactive persistent requests of `comm` have. */
void wm_requests_forget(struct wm_comm *comm);

/* The plan for a call, made if need be. */
struct wm_kept_plan *wm_request_plan(struct wm_comm *comm, const struct wm_path *path, const struct wm_plan_call *call);

/* Of core/call/call.c. Do rules of the map concern the call? */
static inline bool wm_call_has_rules(const struct wm_comm *comm, const struct wm_call *call)
{
    return !comm->native_only && (comm->map->planned & WM_OPERATION_BIT(call->operation)) != 0;
}
/* Count a native call, with the reason. `path`: as found for it, NULL when the arguments allowed none. Hold the lock.
 */
void wm_call_count_native(struct wm_comm *comm, const struct wm_call *call, const struct wm_path *path);
/* The plan of the last call of the operation, if this one is its equal, with its binding; else NULL. Hold the lock; the
 * queue is empty. */
struct wm_kept_plan *wm_call_recall(struct wm_comm *comm, const struct wm_call *call, struct wm_binding *binding);

#endif
