/* The queue of a communicator's requests: calls wait in it for their paths, in the order in which they were made.
 *
 * wm_requests_advance moves it. The MPI library's progress calls that (core/call/progress.h), and whoever waits for
 * something on the same communicator (core/call/wait.h). All functions but wm_requests_start are called with the
 * communicator's lock held; none blocks, unless a blocking call is to ask the map server. */
#ifndef WM_QUEUE_H
#define WM_QUEUE_H

#include "core/call/request.h"

/* Let the library's progress advance requests. False: it cannot; the same on all ranks. */
bool wm_requests_start(void);

/* Queue a described request behind the others. */
void wm_request_enqueue(struct wm_request *request);

/* Let what may leave the queue do so. True: a call has. */
bool wm_requests_begin(struct wm_comm *comm);

/* Do what can be done for all requests. Returns how many calls are over. */
int wm_requests_advance(struct wm_comm *comm);

#endif
