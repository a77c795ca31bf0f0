/* Probes, and receives of what a probe has taken. */
#include "core/p2p/operation.h"

#define NOBODY .source = MPI_PROC_NULL, .tag = MPI_ANY_TAG

/* A receive, too, that is done and stays. */
struct wm_p2p_request wm_p2p_message_no_proc = {
    .e = {.header = {NOBODY}, .message = {.complete = true}}, .receives = true, .active = true, .stays = true};

static const struct wm_p2p_header nobody = {NOBODY};

/* Where a probe looks. */
static int read_place(struct wm_p2p_operation *o, struct wm_p2p_header *header, int peer, int tag,
                      struct wm_p2p_comm *comm)
{
    o->comm = comm;
    o->receives = true;
    o->peer = peer;
    o->tag = tag;
    *header = (struct wm_p2p_header){comm != NULL ? comm->context : 0, peer, tag};
    return wm_p2p_operation_place(o);
}

static int class_of(int error)
{
    return error == WM_MESSAGE_DONE ? MPI_SUCCESS : error == WM_MESSAGE_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
}

static int probe(int peer, int tag, struct wm_p2p_comm *comm, int *flag, MPI_Status *status)
{
    struct wm_p2p_operation o;
    struct wm_p2p_header header;
    const struct wm_p2p_protocol_envelope *found;
    int error = read_place(&o, &header, peer, tag, comm);

    if (error != MPI_SUCCESS)
        return error;
    *flag = peer == MPI_PROC_NULL;
    if (*flag) {
        wm_p2p_status_set(status, &nobody, 0, false);
        return MPI_SUCCESS;
    }
    error = wm_p2p_protocol_probe(&comm->process->protocol, &header, &found);
    *flag = found != NULL;
    if (*flag)
        wm_p2p_status_set(status, &found->header, found->message.bytes, false);
    return class_of(error);
}

int wm_p2p_iprobe(int peer, int tag, struct wm_p2p_comm *comm, int *flag, MPI_Status *status)
{
    int error = probe(peer, tag, comm, flag, status);

    if (error == MPI_SUCCESS && !*flag)
        wm_p2p_poll(comm->process);
    return error;
}

int wm_p2p_probe(int peer, int tag, struct wm_p2p_comm *comm, MPI_Status *status)
{
    for (;;) {
        int flag = 0, error = probe(peer, tag, comm, &flag, status);

        if (error != MPI_SUCCESS || flag)
            return error;
        wm_p2p_sleep_for_message(comm->process);
    }
}

/* A request that is to become the receive of what was taken. */
static int take(struct wm_p2p_process *process, const struct wm_p2p_header *header, struct wm_p2p_request **message)
{
    struct wm_p2p_request *r = wm_p2p_request_new(process);
    int error;

    *message = NULL;
    if (r == NULL)
        return MPI_ERR_NO_MEM;
    error = wm_p2p_protocol_take(&process->protocol, header, &r->taken);
    if (r->taken == NULL) {
        wm_p2p_request_release(r);
        return class_of(error);
    }
    r->receives = true;
    r->nobody = false;
    *message = r;
    return MPI_SUCCESS;
}

static int take_or_not(int peer, int tag, struct wm_p2p_comm *comm, int *flag, struct wm_p2p_request **message,
                       MPI_Status *status)
{
    struct wm_p2p_operation o;
    struct wm_p2p_header header;
    int error = read_place(&o, &header, peer, tag, comm);

    if (error != MPI_SUCCESS)
        return error;
    *flag = peer == MPI_PROC_NULL;
    if (*flag) {
        *message = &wm_p2p_message_no_proc;
        wm_p2p_status_set(status, &nobody, 0, false);
        return MPI_SUCCESS;
    }
    error = take(comm->process, &header, message);
    *flag = *message != NULL;
    if (*flag)
        wm_p2p_status_set(status, &(*message)->taken->header, (*message)->taken->message.bytes, false);
    return error;
}

int wm_p2p_improbe(int peer, int tag, struct wm_p2p_comm *comm, int *flag, struct wm_p2p_request **message,
                   MPI_Status *status)
{
    int error = take_or_not(peer, tag, comm, flag, message, status);

    if (error == MPI_SUCCESS && !*flag)
        wm_p2p_poll(comm->process);
    return error;
}

int wm_p2p_mprobe(int peer, int tag, struct wm_p2p_comm *comm, struct wm_p2p_request **message, MPI_Status *status)
{
    for (;;) {
        int flag = 0, error = take_or_not(peer, tag, comm, &flag, message, status);

        if (error != MPI_SUCCESS || flag)
            return error;
        wm_p2p_sleep_for_message(comm->process);
    }
}

/* The message becomes a receive, and is no longer a message. */
static int receive_taken(void *data, int count, MPI_Datatype type, struct wm_p2p_request **message, bool waits,
                         struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = message != NULL ? *message : NULL;
    struct wm_p2p_data room;
    int error;

    if (r == NULL)
        return MPI_ERR_REQUEST;
    if (r != &wm_p2p_message_no_proc) {
        if ((error = wm_p2p_data_read(&room, data, count, type)) != MPI_SUCCESS ||
            (error = wm_p2p_request_place(r, &room, !waits)) != MPI_SUCCESS)
            return error;
        r->e.message.bytes = r->bytes;
        r->active = true;
        wm_p2p_protocol_receive_taken(&r->process->protocol, &r->e, r->taken);
        wm_p2p_started(r);
    }
    *message = NULL;
    *request = r;
    return MPI_SUCCESS;
}

int wm_p2p_mrecv(void *data, int count, MPI_Datatype type, struct wm_p2p_request **message, MPI_Status *status)
{
    struct wm_p2p_request *r;
    int error = receive_taken(data, count, type, message, true, &r);

    return error != MPI_SUCCESS ? error : wm_p2p_request_wait(r, status);
}

int wm_p2p_imrecv(void *data, int count, MPI_Datatype type, struct wm_p2p_request **message,
                  struct wm_p2p_request **request)
{
    return receive_taken(data, count, type, message, false, request);
}
