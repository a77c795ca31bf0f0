/* Buffers, verified with `full`: those of one call that overlap, those in flight of nonblocking calls, and of
 * persistent ones that were started, that another call receives into, and send buffers that were written to before
 * their call was complete. Each is told as a flaw (core/call/flaw.h), before the call is made or started, or when it is
 * complete; the call itself is made all the same, so that no other rank waits for it.
 *
 * Bytes count, and no gaps of datatypes. Under MPI_THREAD_MULTIPLE nothing is known to be in flight. */
#ifndef WM_BUFFERS_H
#define WM_BUFFERS_H

#include "core/call/describe.h"
#include "core/call/leak.h"
#include "core/call/verify.h"

/* Look at a call that is about to be made. Returns MPI_SUCCESS, or an error, which has been raised and which the call
 * shall return. */
int wm_buffers_check(struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form);

/* The same, if calls are verified so. */
static inline int wm_buffers_look(struct wm_comm *comm, const struct wm_call *call, enum wm_page_form form)
{
    return wm_verifies_full() ? wm_buffers_check(comm, call, form) : MPI_SUCCESS;
}

/* The call that was checked last has this request: its buffers are in flight until wm_buffers_over; those of a
 * persistent one from wm_buffers_start on, which returns what wm_buffers_check does. */
void wm_buffers_began(MPI_Request request);
int wm_buffers_start(MPI_Request request);
void wm_buffers_over(MPI_Request request, const void *site);

/* The request is freed. */
void wm_buffers_free(MPI_Request request);

/* A hash of elements as they are packed: of equal data equal, whatever the types look like; 0: there are no bytes. */
uint64_t wm_buffers_sum(const void *at, int count, MPI_Datatype type);

/* The communicator is freed. */
void wm_buffers_forget(const struct wm_comm *comm);

#endif
