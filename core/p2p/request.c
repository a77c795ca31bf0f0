/* Requests: made idle, finished, left, freed; and their statuses. */
#include <stdlib.h>
#include "core/message/endpoints.h"
#include "core/p2p/process.h"

struct wm_p2p_request *wm_p2p_request_allocate(struct wm_p2p_process *process)
{
    struct wm_p2p_request *r = aligned_alloc(_Alignof(struct wm_p2p_request), sizeof *r);

    if (r != NULL)
        *r = (struct wm_p2p_request){.process = process};
    return r;
}

void wm_p2p_request_release(struct wm_p2p_request *r)
{
    if (r->stays)
        return;
    if (r->packed != NULL) {
        wm_p2p_packed_free(r->packed);
        r->packed = NULL;
    }
    r->persistent = r->buffered = false;
    wm_p2p_request_put_idle(r);
}

void wm_p2p_request_leave(struct wm_p2p_request *r)
{
    r->persistent = false;
    r->next = r->process->orphans;
    r->process->orphans = r;
}

/* ---- statuses ---- */

void wm_p2p_status_set(MPI_Status *status, const struct wm_p2p_header *header, size_t bytes, bool cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = header->source;
    status->MPI_TAG = header->tag;
    PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
    PMPI_Status_set_cancelled(status, cancelled);
}

void wm_p2p_status_clear(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    wm_p2p_status_set(status, &(struct wm_p2p_header){.source = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG}, 0, false);
    status->MPI_ERROR = MPI_SUCCESS;
}

void wm_p2p_request_status(const struct wm_p2p_request *r, MPI_Status *status)
{
    bool cancelled = r->e.message.complete && r->e.message.error == WM_MESSAGE_CANCELLED;

    if (status == MPI_STATUS_IGNORE)
        return;
    if (__builtin_expect(r->other != NULL, 0)) {
        wm_p2p_status_clear(status);
        if (r->other->status != NULL)
            r->other->status(r->with, status);
        return;
    }
    if (r->receives && !cancelled) {
        wm_p2p_status_set(status, &r->e.header, r->e.message.bytes, false);
        return;
    }
    wm_p2p_status_clear(status);
    PMPI_Status_set_cancelled(status, cancelled);
}

/* ---- the end ---- */

static int error_class(const struct wm_p2p_request *r)
{
    switch ((enum wm_message_error)r->e.message.error) {
    case WM_MESSAGE_DONE:
    case WM_MESSAGE_CANCELLED:
        return MPI_SUCCESS;
    case WM_MESSAGE_TRUNCATED:
        return MPI_ERR_TRUNCATE;
    case WM_MESSAGE_FULL:
    case WM_MESSAGE_MEMORY:
        return MPI_ERR_NO_MEM;
    default:
        return MPI_ERR_OTHER;
    }
}

static void tell(const struct wm_p2p_request *r)
{
    const struct wm_protocol *p = &r->process->protocol.common;
    char sentence[600];

    if (p->group->limits.tell != NULL)
        p->group->limits.tell(wm_message_sentence(p, &r->e.message, sentence, sizeof sentence));
}

static int unpack(const struct wm_p2p_request *r)
{
    int error = wm_p2p_data_unpack(&r->packed->data, r->packed->bytes, r->e.message.bytes), class = MPI_SUCCESS;

    if (error != MPI_SUCCESS)
        PMPI_Error_class(error, &class);
    return class;
}

static void free_other(struct wm_p2p_request *r)
{
    if (r->other->free != NULL)
        r->other->free(r->with);
    r->other = NULL;
    wm_p2p_request_release(r);
}

/* What its status is called for comes before its end, also where nobody wants the status. */
static int finish_other(struct wm_p2p_request *r, MPI_Status *status)
{
    const struct wm_p2p_other_class *other = r->other;
    MPI_Status unwanted;
    int error = MPI_SUCCESS, end_error = MPI_SUCCESS;

    wm_p2p_status_clear(status);
    if (other->status != NULL)
        error = other->status(r->with, status != MPI_STATUS_IGNORE ? status : &unwanted);
    if (other->end != NULL)
        end_error = other->end(r->with);
    if (r->persistent)
        r->active = false;
    else
        free_other(r);
    return error != MPI_SUCCESS ? error : end_error;
}

int wm_p2p_request_finish_any(struct wm_p2p_request *r, MPI_Status *status)
{
    bool complete = r->e.message.complete;
    int error = complete ? error_class(r) : MPI_SUCCESS;

    if (r->other != NULL)
        return finish_other(r, status);
    wm_p2p_request_status(r, status);
    if (error != MPI_SUCCESS)
        tell(r);
    if (r->receives && r->packed != NULL && r->e.message.error != WM_MESSAGE_CANCELLED) {
        int unpacked = unpack(r);

        error = error != MPI_SUCCESS ? error : unpacked;
    }
    if (error != MPI_SUCCESS)
        r->process->failed_context = r->e.header.context;
    if (r->buffered)
        wm_p2p_request_leave(r);
    else if (r->persistent)
        r->active = false;
    else
        wm_p2p_request_release(r);
    return error;
}

int wm_p2p_request_wait(struct wm_p2p_request *r, MPI_Status *status)
{
    struct wm_p2p_tally one = {0};

    if (!wm_p2p_request_is_done(r)) {
        wm_p2p_count(r, WM_P2P_AWAITED, &one);
        wm_p2p_await(r->process, &one);
    }
    return wm_p2p_request_finish(r, status);
}

int wm_p2p_request_free(struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = request != NULL ? *request : WM_P2P_REQUEST_NULL;

    if (r == WM_P2P_REQUEST_NULL)
        return MPI_ERR_REQUEST;
    *request = WM_P2P_REQUEST_NULL;
    if (r->other != NULL && r->e.message.complete) {
        r->persistent = false;
        if (r->active)
            return finish_other(r, MPI_STATUS_IGNORE);
        free_other(r);
        return MPI_SUCCESS;
    }
    if (r->active && (!r->e.message.complete || r->buffered))
        wm_p2p_request_leave(r);
    else
        wm_p2p_request_release(r);
    return MPI_SUCCESS;
}

int wm_p2p_cancel(struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = request != NULL ? *request : WM_P2P_REQUEST_NULL;

    if (r == WM_P2P_REQUEST_NULL || !r->active)
        return MPI_ERR_REQUEST;
    if (r->other != NULL)
        return r->other->cancel != NULL ? r->other->cancel(r->with, r->e.message.complete) : MPI_ERR_REQUEST;
    if (r->e.message.complete)
        return MPI_SUCCESS;
    r->cancelled = true;
    wm_p2p_protocol_cancel(&r->process->protocol, &r->e);
    return MPI_SUCCESS;
}

/* ---- what something else completes ---- */

int wm_p2p_other_new(struct wm_p2p_process *process, const struct wm_p2p_other_class *class, void *with,
                     struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = wm_p2p_request_new(process);

    if (r == NULL)
        return MPI_ERR_NO_MEM;
    r->receives = r->active = true; /* the end of a process waits for sends alone */
    r->nobody = false;
    r->e.message.complete = false;
    r->e.message.traced = 0;
    r->e.message.peer = r->e.header.tag = -1;
    r->other = class;
    r->with = with;
    *request = r;
    return MPI_SUCCESS;
}

void wm_p2p_other_keep(struct wm_p2p_request *r)
{
    r->persistent = true;
    r->active = false;
    r->e.message.complete = true;
}

void wm_p2p_other_complete(struct wm_p2p_request *r)
{
    wm_envelope_complete(&r->e.message, WM_MESSAGE_DONE);
}
