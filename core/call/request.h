/* Requests: calls on their way, one state machine for blocking, nonblocking and persistent calls.
 *
 * A request is queued behind the earlier ones of its communicator. Paths are looked up, and numbers given to flights,
 * strictly in the order of the queue, so that all ranks do it alike although answers and messages arrive at different
 * moments (core/call/queue.h). The states are those of enum wm_request_state.
 *
 * Who makes a request owns it and hears of its end by `over`. A blocking call's stands on the stack of its caller
 * (core/call/call.c). Of a nonblocking call the user holds a generalised request (core/call/nonblocking.c), of a
 * persistent one a persistent receive of the process from itself (core/call/persistent.c): so all completion calls are
 * the library's own.
 *
 * All functions here are called with the communicator's lock held. */
#ifndef WM_REQUEST_H
#define WM_REQUEST_H

#include "core/call/cache.h"
#include "core/call/describe.h"
#include "core/call/sizes.h"
#include "core/record/waiting.h"

enum wm_request_kind {
    WM_REQUEST_BLOCKING, /* its path may have shared steps; a native path is left to its owner */
    WM_REQUEST_NONBLOCKING,
    WM_REQUEST_PERSISTENT /* planned once, then started again and again; a native path is left to its owner */
};

enum wm_request_state {
    WM_REQUEST_QUEUED,    /* the communicator joins, or the calls before it still wait for their paths */
    WM_REQUEST_ASKING,    /* it is the first of the queue, and the map is asked for its path */
    WM_REQUEST_SIZING,    /* ranks tell each other sizes */
    WM_REQUEST_IN_FLIGHT, /* its plan is under way */
    WM_REQUEST_NATIVE,    /* the library's collective is under way, in the place that was reserved */
    WM_REQUEST_LEFT,      /* `path` is native, or numbers have run out: the owner calls the library */
    WM_REQUEST_PLANNED,   /* persistent: not started, or over again */
    WM_REQUEST_OVER       /* `rc` is known; the request holds nothing but what its owner has put there */
};

struct wm_question;

struct wm_request {
    struct wm_request *next; /* in the queue, or of those in flight */
    enum wm_request_kind kind;
    enum wm_request_state state;
    struct wm_comm *comm;
    const struct wm_call *call; /* the owner's; it lives as long as the request */
    uint32_t sequence;          /* kinds: of records, as of the call's beginning */
    uint64_t kinds;
    struct wm_waited *waited;     /* NULL: waits are not recorded; not ours any more once the user has the handle */
    uint64_t turn;                /* its number among the calls, where the map may change (core/call/meeting.h) */
    uint64_t print;               /* of the call, for what is sent for it; 0: unknown */
    uint32_t first, number;       /* of its flights: the first, that of the call itself */
    struct wm_question *question; /* ASKING */
    struct wm_path *path;         /* from SIZING or LEFT on; it lives until the request is planned */
    struct wm_sizes *sizes;       /* SIZING */
    struct wm_kept_plan *kept;
    struct wm_flight *flight; /* SIZING, IN_FLIGHT; NULL: it ran as a short plan */
    MPI_Request inner;        /* the library's, persistent: reserved for a native path, started when it is one */
    int native_rc;            /* MPI_SUCCESS, or why the library could not make it */
    int rc;                   /* MPI_SUCCESS, or the first error */
    /* The call is over. Errors came back where nobody handles them: the owner raises them. */
    void (*over)(struct wm_request *request);
    bool own;                      /* of ours: by a plan of its own, whatever the map says, and not counted */
    bool is_described;             /* … by wm_describe; else the binding alone is filled in */
    struct wm_described described; /* its binding is that of the flight */
};

/* Prepare a queued request of the caller's for a call; it is not described yet. */
void wm_request_init(struct wm_request *request, enum wm_request_kind kind, struct wm_comm *comm,
                     const struct wm_call *call, uint32_t sequence, uint64_t kinds);

/* Describe the call. False: an argument is wrong, and the library shall say so. */
bool wm_request_describe(struct wm_request *request);

/* May another call have numbers for its flights? */
bool wm_requests_may_fly(const struct wm_comm *comm);

/* Begin a call whose path is known, and not native: exchange sizes first, if need be; make the plan; and, but for a
 * persistent one, fly it. */
void wm_request_begin(struct wm_request *request);

/* Begin one of our own (`own`), described, which is an allreduce or an alltoall. */
void wm_request_begin_own(struct wm_request *request);

/* Reserve the call's place among the library's nonblocking collectives on the user's communicator, which come in one
 * order on all ranks. Whether the path is native is known later. */
void wm_request_reserve(struct wm_request *request);

/* Begin a nonblocking call whose path is native, in its place. */
void wm_request_begin_native(struct wm_request *request);

/* It is taken out of the queue of a communicator that is stopped, whose flights are over: it fails. */
void wm_request_stop(struct wm_request *request);

/* Fly a plan that is kept and bound already. */
void wm_request_fly(struct wm_request *request);

/* End what is over in flight, and tell the owners. Returns how many. */
int wm_requests_end(struct wm_comm *comm);

/* Call the user's error handler, if there is an error. True: the handler leaves it to the completion call. */
bool wm_request_raise(struct wm_request *request);

#endif
