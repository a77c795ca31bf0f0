/* Calls that are left to the MPI library: which, why, and how often. */
#ifndef WM_LEFT_H
#define WM_LEFT_H

#include "core/call/verify.h"

/* Do rules of the map concern the call, or may they, when its turn comes? Else it is left without a look at its
 * arguments. */
static inline bool wm_left_has_rules(const struct wm_comm *comm, const struct wm_call *call)
{
    return !comm->native_only && (comm->tuning != NULL || wm_verifies_each() ||
                                  (comm->map->planned & WM_OPERATION_BIT(call->operation)) != 0);
}

/* Count a call that is left, with the reason. `path`: as found for it, NULL when the arguments allowed none. Hold the
 * lock. */
void wm_left_count(struct wm_comm *comm, const struct wm_call *call, const struct wm_path *path);

/* The reason. */
enum wm_native_reason wm_left_reason(const struct wm_comm *comm, const struct wm_call *call,
                                     const struct wm_path *path);

/* Count a call like the last one of its operation, which was left and counted. Hold the lock. */
static inline void wm_left_count_again(struct wm_comm *comm, enum wm_operation operation)
{
    comm->native_calls[operation]++;
    wm_native_count(operation, comm->last[operation]->reason, 0, wm_process.threads);
}

/* Count a nonblocking one whose path is not settled, and which cannot wait. Hold the lock. */
void wm_left_count_unsettled(struct wm_comm *comm, const struct wm_call *call);

/* Count one that is not blocking, for which wm_left_has_rules or wm_requests_start have said no. Hold the lock. */
void wm_left_count_idle(struct wm_comm *comm, const struct wm_call *call);

#endif
