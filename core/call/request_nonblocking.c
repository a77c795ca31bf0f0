/* Nonblocking calls: begun, and completed by a generalised request, or left to the library. */
#include <stdlib.h>
#include "core/record/control.h"
#include "core/call/progress.h"
#include "core/call/request_state.h"
#include "waymark/runtime.h"

/* An error that the completion call returns goes to MPI_COMM_WORLD's handler first, which would end a program whose
 * communicator has a handler of its own. */
static int error_to_return(const struct wm_request *r)
{
    MPI_Errhandler handler;
    bool fatal;

    if (!atomic_load_explicit(&r->told, memory_order_acquire) || r->rc == MPI_SUCCESS || r->error_unheard)
        return r->rc;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    fatal = handler == MPI_ERRORS_ARE_FATAL;
    PMPI_Errhandler_free(&handler);
    return fatal ? MPI_SUCCESS : r->rc;
}

static int query(void *request, MPI_Status *status)
{

    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return error_to_return(request);
}

/* The library calls this when the call is over and the user has no handle any more. */
static int release(void *request)
{
    (void)atomic_load_explicit(&((struct wm_request *)request)->told, memory_order_acquire);
    free(request);
    return MPI_SUCCESS;
}

/* Collectives cannot be cancelled. */
static int cancel(void *request, int complete)
{
    (void)request, (void)complete;
    return MPI_ERR_REQUEST;
}

/* The same call as last time. */
static bool short_road(struct wm_request *r)
{
    struct wm_comm *c = r->comm;

    if (c->queue != NULL || wm_comm_is_coming(c) || !wm_requests_air_is_free(c) ||
        (r->kept = wm_call_recall(c, &r->call, &r->binding)) == NULL || r->kept->plan->shared_count > 0)
        return false;
    wm_kept_plan_take(r->kept);
    r->first = c->flights++;
    r->number = r->first % WM_ORDINARY_FLIGHTS;
    wm_request_append(c, r);
    wm_request_fly(r);
    return true;
}

/* False: an argument is wrong, and the library shall say so. */
static bool set_out(struct wm_request *r)
{
    if (short_road(r))
        return true;
    if (!wm_describe(r->comm, &r->call, &r->described))
        return false;
    wm_retain(&r->retained, &r->described);
    wm_request_enqueue(r->comm, r);
    wm_requests_take_off(r->comm);
    if (r->state != WM_REQUEST_NATIVE) /* the library has read them */
        wm_retain_vectors(&r->retained, &r->call, &r->described);
    return true;
}

/* The library's own call has begun, or could not: the user will wait for `handle`, and only then is it known to be
 * over.
 */
static void await_native(struct wm_waited *waited, int rc, MPI_Request handle)
{
    if (waited == NULL)
        return;
    if (rc == MPI_SUCCESS) {
        waited->leaves = true;
        wm_waited_list(waited, handle);
    } else {
        wm_visit_leave(&waited->visit);
        wm_waited_free(waited);
    }
}

/* It went to the library straight away: its request is the user's. */
static int hand_over_native(struct wm_request *r, MPI_Request *request)
{
    struct wm_comm *c = r->comm;
    struct wm_request **link = &c->aloft;
    int rc = r->rc;

    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    if (c->aloft_end == &r->next)
        c->aloft_end = link;
    c->native_aloft--;
    *request = r->inner;
    await_native(r->waited, rc, r->inner);
    wm_described_release(&r->described);
    wm_retained_release(&r->retained);
    free(r);
    if (rc != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(c->user, rc);
    return rc;
}

/* It begins, and the library's request is the user's. */
static int begin_with_library(struct wm_comm *c, const struct wm_call *call, uint32_t sequence, uint32_t kinds,
                              MPI_Request *request)
{
    struct wm_waited *waited = wm_waited_new(kinds);
    int rc;

    wm_call_leave_to_library(c, call, NULL);
    if (waited != NULL) {
        wm_visit_make(&waited->visit, c->id, call, NULL, sequence, wm_comm_kinds(c, kinds));
        wm_visit_enter(&waited->visit);
    }
    rc = call->native(call, request);
    await_native(waited, rc, *request);
    return rc;
}

int wm_call_begin(struct wm_comm *c, const struct wm_call *call, MPI_Request *request)
{
    uint32_t sequence, kinds;
    struct wm_request *r;
    int rc = MPI_SUCCESS;

    wm_comm_lock(c);
    sequence = c->sequence++;
    kinds = wm_control_begin(sequence);
    if (!wm_call_has_rules(c, call) || !wm_progress_start())
        return begin_with_library(c, call, sequence, kinds, request);
    r = wm_request_new(c, call, sequence, kinds);
    if (!set_out(r)) {
        wm_waited_free(r->waited);
        free(r);
        return begin_with_library(c, call, sequence, kinds, request);
    }
    if (r->state == WM_REQUEST_NATIVE) {
        rc = hand_over_native(r, request);
    } else {
        PMPI_Grequest_start(query, release, cancel, r, &r->handle);
        *request = r->handle;
        if (r->waited != NULL)
            wm_waited_list(r->waited, r->handle);
        wm_progress_aloft(c);
    }
    wm_requests_land(c); /* calls before it, too, may have taken off now, and be over */
    wm_comm_unlock(c);
    return rc;
}
