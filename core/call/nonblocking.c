/* Nonblocking calls: begun, and completed by a generalised request, or left to the library.
 *
 * The library makes no progress in here: while MPI_Comm_idup progresses, Open MPI 4.1 numbers collectives of its own on
 * the parent, and a call that comes meanwhile would get another number at each rank. */
#include <stdatomic.h>
#include <stdlib.h>
#include "core/call/again.h"
#include "core/call/buffers.h"
#include "core/call/join.h"
#include "core/call/left.h"
#include "core/call/meeting.h"
#include "core/call/pairs.h"
#include "core/call/progress.h"
#include "core/call/publish.h"
#include "core/call/queue.h"
#include "core/call/retain.h"
#include "core/data/allocate.h"
#include "core/record/control.h"
#include "waymark/runtime.h"

struct nonblocking {
    struct wm_request request;
    struct wm_call call;
    struct wm_retained retained;
    MPI_Request handle; /* what the user holds */
    bool error_unheard; /* the communicator's handler leaves it to the completion call */
    _Atomic bool told;  /* the request is over, perhaps by another thread */
};

/* An error that the completion call returns goes to MPI_COMM_WORLD's handler first, which would end a program whose
 * communicator has a handler of its own. */
static int error_to_return(const struct nonblocking *n)
{
    MPI_Errhandler handler;
    bool fatal;

    if (!atomic_load_explicit(&n->told, memory_order_acquire) || n->request.rc == MPI_SUCCESS || n->error_unheard)
        return n->request.rc;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    fatal = handler == MPI_ERRORS_ARE_FATAL;
    PMPI_Errhandler_free(&handler);
    return fatal ? MPI_SUCCESS : n->request.rc;
}

static int query(void *nonblocking, MPI_Status *status)
{
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return error_to_return(nonblocking);
}

/* The library calls this when the call is over and the user has no handle any more. */
static int release(void *nonblocking)
{
    (void)atomic_load_explicit(&((struct nonblocking *)nonblocking)->told, memory_order_acquire);
    free(nonblocking);
    return MPI_SUCCESS;
}

/* Collectives cannot be cancelled. */
static int cancel(void *nonblocking, int complete)
{
    (void)nonblocking, (void)complete;
    return MPI_ERR_REQUEST;
}

static void tell(struct wm_request *r)
{
    struct nonblocking *n = (struct nonblocking *)r;
    MPI_Request handle = n->handle;

    wm_retained_release(&n->retained);
    n->error_unheard = wm_request_raise(r);
    atomic_store_explicit(&n->told, true, memory_order_release);
    PMPI_Grequest_complete(handle);
}

/* The same call as last time flies its plan at once, unless that has shared steps. */
static bool fly_again(struct wm_request *r)
{
    struct wm_comm *c = r->comm;
    const struct wm_last_call *last;

    if (c->queue != NULL || !wm_meeting_is_far(c, r->turn) || !wm_requests_may_fly(c) ||
        (last = wm_again_find(c, r->call)) == NULL || last->kept == NULL || !c->paths[last->place].settled ||
        last->kept->plan->shared_count > 0)
        return false;
    wm_again_bind(last, r->call, &r->described.binding);
    r->kept = last->kept;
    wm_kept_plan_take(r->kept);
    wm_request_fly(r);
    return true;
}

/* Queue a call. Whether its path is native is the same on all ranks now, or its place among the library's calls is
 * reserved: what comes later on the user's communicator comes behind it. */
static void enqueue(struct nonblocking *n, bool settled)
{
    struct wm_request *r = &n->request;

    wm_retain(&n->retained, &r->described);
    wm_retain_vectors(&n->retained, &n->call, &r->described);
    wm_join_begin(r->comm);
    if (!settled)
        wm_request_reserve(r);
    wm_request_enqueue(r);
    if (r->comm->joined == WM_JOINED)
        wm_requests_begin(r->comm);
}

/* False: the library is to make the call, and it is counted. */
static bool set_out(struct nonblocking *n)
{
    struct wm_request *r = &n->request;
    const struct wm_path *path = NULL;

    if (fly_again(r))
        return true;
    if (!wm_request_describe(r)) {
        wm_left_count(r->comm, r->call, NULL);
        return false;
    }
    if (wm_meeting_is_far(r->comm, r->turn))
        path = wm_cache_settled_path(r->comm, &r->described.facts);
    if (path != NULL && path->native)
        wm_left_count(r->comm, r->call, path);
    else if (path == NULL && r->call->init == NULL)
        wm_left_count_unsettled(r->comm, r->call);
    else {
        enqueue(n, path != NULL);
        return true;
    }
    wm_described_release(&r->described);
    return false;
}

/* The library's own call has begun, or could not: the user will wait for `handle`, and only then is it known to be
 * over. */
static void await_native(struct wm_waited *waited, int rc, MPI_Request handle)
{
    if (waited == NULL)
        return;
    if (rc == MPI_SUCCESS) {
        waited->leaves = true;
        wm_waited_list(waited, handle);
    } else {
        wm_record_region_leave(&waited->region);
        wm_waited_free(waited);
    }
}

/* The user will wait for a request of ours. */
static void hand_over(struct nonblocking *n, MPI_Request *request)
{
    PMPI_Grequest_start(query, release, cancel, n, &n->handle);
    *request = n->handle;
    if (n->request.waited != NULL)
        wm_waited_list(n->request.waited, n->handle);
    wm_progress_begun(n->request.comm);
}

/* It begins, and the library's request is the user's. Gives the lock back. */
static int begin_with_library(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint64_t kinds,
                              MPI_Request *request)
{
    struct wm_waited *waited = wm_waited_new(kinds);
    int rc;

    wm_comm_unlock(c);
    if (waited != NULL) {
        wm_record_region_make(&waited->region, c->id, call, NULL, sequence, wm_comm_kinds(c, kinds));
        wm_record_region_enter(&waited->region, 0);
    }
    rc = call->native(call, request);
    await_native(waited, rc, *request);
    return rc;
}

static struct nonblocking *new_nonblocking(struct wm_comm *c, const struct wm_call *call, uint32_t sequence,
                                           uint64_t kinds)
{
    struct nonblocking *n = wm_allocate_zeroed(sizeof *n, "a request");

    n->call = *call;
    n->call.info = MPI_INFO_NULL;
    wm_request_init(&n->request, WM_REQUEST_NONBLOCKING, c, &n->call, sequence, kinds);
    n->request.over = tell;
    n->request.waited = wm_waited_new(kinds);
    return n;
}

/* The call is published. */
static int begin(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    uint32_t sequence;
    uint64_t kinds;
    struct nonblocking *n;

    wm_comm_lock(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (!wm_left_has_rules(c, call) || !wm_requests_start()) {
        wm_left_count_idle(c, call);
        return begin_with_library(c, call, sequence, kinds, request);
    }
    if (wm_verifies_full())
        wm_pairs_compare_beside(c, call, sequence);
    n = new_nonblocking(c, call, sequence, kinds);
    n->request.turn = wm_meeting_turn(c);
    if (!set_out(n)) {
        wm_waited_free(n->request.waited);
        free(n);
        return begin_with_library(c, call, sequence, kinds, request);
    }
    hand_over(n, request);
    if (c->native_in_flight == 0)
        wm_requests_end(c); /* calls before it, too, may have begun now, and be over */
    wm_comm_unlock(c);
    return MPI_SUCCESS;
}

int wm_call_begin(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    int flaw, rc;

    if (c->shown == NULL)
        return begin(c, call, request);
    wm_publish_call(c, call, WM_FORM_NONBLOCKING);
    flaw = wm_buffers_look(c, call, WM_FORM_NONBLOCKING);
    rc = begin(c, call, request);
    return rc == MPI_SUCCESS ? flaw : rc;
}
