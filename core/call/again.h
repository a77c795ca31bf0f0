/* Again: the last call of each operation, if it can come back as it was: predefined datatypes and operator, whose
 * handles never come to mean others. An equal call needs neither path nor plan to be looked up, and allocates nothing:
 * it flies the same plan, or runs it as a short plan (core/shared/short_plan.h). */
#ifndef WM_AGAIN_H
#define WM_AGAIN_H

#include "core/call/comm.h"
#include "core/call/describe.h"

/* MPI_IN_PLACE stands for either buffer; for which, the operation says. */
static inline bool wm_call_is_in_place(const struct wm_call *call)
{
    return call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE;
}

/* Whether a last call is the equal of another one of its operation. */
static inline bool wm_again_is(const struct wm_comm *comm, const struct wm_last_call *last, const struct wm_call *call);
/* The same of a last call whose path is known and whose `any` is false: all but counts and displacements that differ by
 * rank. */
static inline bool wm_again_has_arguments(const struct wm_last_call *last, const struct wm_call *call);
/* … these alone. Operations have them always, or never. */
bool wm_again_has_vectors(const struct wm_comm *comm, const struct wm_last_call *last, const struct wm_call *call);

/* Its path has been looked up: its age must be the same on all ranks. */
static inline void wm_again_use(struct wm_comm *comm, const struct wm_last_call *last)
{
    comm->paths[last->place].used = ++comm->clock;
}

/* The last call of its operation, if `call` is its equal; else NULL. The path counts as looked up. Hold the lock; the
 * queue is empty. */
struct wm_last_call *wm_again_find(struct wm_comm *comm, const struct wm_call *call);

/* Whether the last call of its operation, of which there was one, is its equal; *stamp: of the one that was, 0 at
 * first, by which it is found in less time. Hold the lock; the queue is empty. */
bool wm_again_find_stamped(struct wm_comm *comm, const struct wm_call *call, uint64_t *stamp);

/* Run a call that was found, or kept in mind, to its end, if its plan is short; false: it is not. No other call is in
 * flight. Hold the lock. */
bool wm_again_run(struct wm_comm *comm, struct wm_last_call *last, const struct wm_call *call);

/* The short plan of a last call, made when it is first asked for; NULL: its plan is not short. Hold the lock. */
const struct wm_short_plan *wm_again_short(struct wm_comm *comm, struct wm_last_call *last);

/* Bind a call that was found to the last one's plan. */
void wm_again_bind(const struct wm_last_call *last, const struct wm_call *call, struct wm_binding *binding);

/* Keep a blocking call in mind, if it can come back; NULL: it cannot. `kept`: its plan, NULL when the path is native.
 * Hold the lock. */
struct wm_last_call *wm_again_remember(struct wm_comm *comm, const struct wm_call *call, struct wm_path *path,
                                       struct wm_kept_plan *kept, const struct wm_described *described);

static inline bool wm_again_has_arguments(const struct wm_last_call *last, const struct wm_call *call)
{
    return last->count == call->receive_count && last->type == call->receive_type && last->op == call->op &&
           last->in_place == wm_call_is_in_place(call) && last->send_count == call->send_count &&
           last->send_type == call->send_type && last->root == call->root;
}

static inline bool wm_again_is(const struct wm_comm *comm, const struct wm_last_call *last, const struct wm_call *call)
{
    if (last->path == NULL)
        return false;
    if (last->any)
        return last->root == call->root;
    return wm_again_has_arguments(last, call) && (!last->has_vectors || wm_again_has_vectors(comm, last, call));
}

#endif
