/* Waiting for requests: what is in flight on the same communicator goes on meanwhile.
 *
 * All functions here block, and are called with the communicator's lock held. */
#ifndef WM_CALL_WAIT_H
#define WM_CALL_WAIT_H

#include "core/call/queue.h"

/* Wait until a request that was queued is over, planned or left. */
void wm_request_wait(struct wm_request *request);

/* Wait until the queue is empty. */
void wm_requests_settle(struct wm_comm *comm);

/* Wait until nothing is in flight; `persistent`: nor any persistent request that was started. */
void wm_requests_finish(struct wm_comm *comm, bool persistent);

/* Count a call that waits for the queue, which is empty, and hold the meeting that is due before it
 * (core/call/meeting.h); `sequence`: its ordinal. The communicator's map may change. */
void wm_requests_meet(struct wm_comm *comm, uint32_t sequence);

/* Fly a plan past the queue, which is empty, and wait for its end. `binding` lacks the flight's number. Returns
 * MPI_SUCCESS or the first error of a step. */
int wm_requests_fly_plan(struct wm_comm *comm, const struct wm_plan *plan, struct wm_binding *binding);

/* The same in two: take a number, as all ranks do, and fly plans by it, one after the other. Those of a pair of ranks
 * come in the same order at both. */
uint32_t wm_requests_number(struct wm_comm *comm);
int wm_requests_fly_numbered(struct wm_comm *comm, const struct wm_plan *plan, const struct wm_binding *binding);

/* Make a call of our own, an allreduce or alltoall of numbers, past the queue, which is empty; `checked`: its messages
 * carry the fingerprint of the newest call, as that call's would. Returns MPI_SUCCESS or the first error of a step. */
int wm_requests_fly_own(struct wm_comm *comm, const struct wm_call *call, bool checked);

/* The same of at most so many numbers of type MPI_UINT64_T, combined in place. */
enum { WM_NUMBERS_MAX = 3 };
int wm_requests_combine(struct wm_comm *comm, uint64_t *numbers, int count, MPI_Op op, bool checked);

/* Before a call of the library's own: fly a barrier that compares fingerprints (core/call/verify.h). Returns
 * MPI_SUCCESS, or an error that is to be raised: the call is not to be made. The queue is empty. */
int wm_requests_compare(struct wm_comm *comm);

/* Ask the map about facts that are complete. Collective. The path is the caller's (wm_path_free), and in no cache: for
 * conveyors and messages, which have names of their own. */
struct wm_path *wm_requests_ask(struct wm_comm *comm, const struct wm_facts *facts);

#endif
