/* Requests from inside: what the files of core/request*.c share. core/call/request.h says what they are. */
#ifndef WM_REQUEST_STATE_H
#define WM_REQUEST_STATE_H

#include <stdatomic.h>
#include "core/call/request.h"
#include "core/call/retain.h"
#include "core/call/sizes.h"
#include "core/record/waiting.h"

enum wm_request_state {
    WM_REQUEST_QUEUED,
    WM_REQUEST_ASKING,
    WM_REQUEST_SIZING,
    WM_REQUEST_FLYING,
    WM_REQUEST_NATIVE,
    WM_REQUEST_OVER
};

struct wm_request {
    struct wm_request *next; /* in the queue, or aloft */
    struct wm_comm *comm;
    struct wm_comm *child; /* no call: the shadow of this one is to be made */
    enum wm_request_state state;
    struct wm_call call;
    struct wm_described described; /* empty on the short road */
    struct wm_binding binding;
    struct wm_retained retained;
    uint32_t sequence, kinds; /* kinds: of records; as of its beginning */
    struct wm_waited *waited; /* NULL: waits are not recorded; not ours any more once the user has the handle */
    uint32_t first, number;   /* of its flights: the first, that of the call itself */
    struct wm_question *question;
    const struct wm_path *path; /* while sizing */
    struct wm_sizes *sizes;
    struct wm_kept_plan *kept;
    struct wm_flight *flight;
    MPI_Request inner;  /* the library's, of a native call */
    MPI_Request handle; /* what the user holds */
    int rc;             /* MPI_SUCCESS, or the first error */
    bool error_unheard; /* the communicator's handler leaves it to the completion call */
    _Atomic bool told;  /* another thread may have landed it */

    bool persistent, active, freed;
    bool library; /* persistent, and the library's own: the trace alone follows it */
    int tag;      /* of the carrier */
    struct wm_request *next_in_table;
};

/* All of these are called with the communicator's lock. */

/* A queued call that nobody holds yet; waits are recorded where `kinds` has them. */
struct wm_request *wm_request_new(struct wm_comm *comm, const struct wm_call *call, uint32_t sequence, uint32_t kinds);
/* Queue it behind the others; put one that takes off by itself among those aloft. */
void wm_request_enqueue(struct wm_comm *comm, struct wm_request *request);
void wm_request_append(struct wm_comm *comm, struct wm_request *request);

/* May another call have its flights? */
bool wm_requests_air_is_free(const struct wm_comm *comm);
/* Let what may leave the queue do so: true when a call has taken off. */
bool wm_requests_take_off(struct wm_comm *comm);
/* Land what is over, and tell those who wait. Returns how many. */
int wm_requests_land(struct wm_comm *comm);

/* Ranks tell each other sizes, in flight `number`; then request->path may be planned. */
void wm_request_begin_sizes(struct wm_request *request, const struct wm_path *path, uint32_t number);
void wm_request_end_sizes(struct wm_request *request);
/* Start the flight of its plan, which is kept and bound. */
void wm_request_fly(struct wm_request *request);

/* Tell the user of a persistent one that it is over (core/call/request_persistent.c). */
void wm_request_complete_carrier(struct wm_request *request);

/* Count a call that the library is to carry out, and give the lock back. */
void wm_call_leave_to_library(struct wm_comm *comm, const struct wm_call *call, const struct wm_path *path);

#endif
