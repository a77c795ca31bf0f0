/* Sends and receives. */
#include "core/p2p/operation.h"

static int begin_and_wait(const struct wm_p2p_operation *o, MPI_Status *status)
{
    struct wm_p2p_request *r;
    int error = wm_p2p_operation_begin(o, true, &r);

    return error != MPI_SUCCESS ? error : wm_p2p_request_wait(r, status);
}

/* Not inlined: what is plain saves no registers for it, nor for the two that follow. */
static __attribute__((noinline)) int send_any(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type,
                                              int peer, int tag, struct wm_p2p_comm *comm)
{
    struct wm_p2p_operation o;
    int error = wm_p2p_operation_send(&o, mode, data, count, type, peer, tag, comm);

    return error != MPI_SUCCESS ? error : begin_and_wait(&o, MPI_STATUS_IGNORE);
}

int wm_p2p_send(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer, int tag,
                struct wm_p2p_comm *comm)
{
    size_t bytes;

    if (mode != WM_P2P_BUFFERED && wm_p2p_is_plain(data, count, type, peer, tag, comm, &bytes) &&
        wm_p2p_plain_give(comm, data, bytes, peer, tag, mode))
        return MPI_SUCCESS;
    return send_any(mode, data, count, type, peer, tag, comm);
}

static inline int made(struct wm_p2p_request *r, struct wm_p2p_request **request)
{
    if (__builtin_expect(r == NULL, 0))
        return MPI_ERR_NO_MEM;
    *request = r;
    return MPI_SUCCESS;
}

int wm_p2p_isend_any(const void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                     enum wm_p2p_mode mode, struct wm_p2p_request **request)
{
    struct wm_p2p_operation o;
    size_t bytes;
    int error;

    if (mode != WM_P2P_BUFFERED && wm_p2p_is_plain(data, count, type, peer, tag, comm, &bytes) &&
        comm->process->sends == NULL)
        return made(wm_p2p_plain_send(comm, data, bytes, peer, tag, mode), request);
    error = wm_p2p_operation_send(&o, mode, data, count, type, peer, tag, comm);
    return error != MPI_SUCCESS ? error : wm_p2p_operation_begin(&o, false, request);
}

int wm_p2p_isend(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer, int tag,
                 struct wm_p2p_comm *comm, struct wm_p2p_request **request)
{
    return wm_p2p_isend_inline(mode, data, count, type, peer, tag, comm, request);
}

int wm_p2p_send_init(enum wm_p2p_mode mode, const void *data, int count, MPI_Datatype type, int peer, int tag,
                     struct wm_p2p_comm *comm, struct wm_p2p_request **request)
{
    struct wm_p2p_operation o;
    int error = wm_p2p_operation_send(&o, mode, data, count, type, peer, tag, comm);

    return error != MPI_SUCCESS ? error : wm_p2p_operation_keep(&o, request);
}

static __attribute__((noinline)) int recv_any(void *data, int count, MPI_Datatype type, int peer, int tag,
                                              struct wm_p2p_comm *comm, MPI_Status *status)
{
    struct wm_p2p_operation o;
    int error = wm_p2p_operation_receive(&o, data, count, type, peer, tag, comm);

    return error != MPI_SUCCESS ? error : begin_and_wait(&o, status);
}

int wm_p2p_plain_await(struct wm_p2p_comm *comm, void *data, size_t bytes, int peer, int tag, MPI_Status *status)
{
    struct wm_p2p_header header = {comm->context, peer, tag};
    struct wm_p2p_request *r;

    if (wm_p2p_protocol_get(&comm->process->protocol, &header, data, bytes, &bytes)) {
        wm_p2p_status_set(status, &header, bytes, false);
        return MPI_SUCCESS;
    }
    r = wm_p2p_plain_receive(comm, data, bytes, peer, tag);
    return r != NULL ? wm_p2p_request_wait(r, status) : MPI_ERR_NO_MEM;
}

int wm_p2p_recv(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                MPI_Status *status)
{
    size_t bytes;

    if (wm_p2p_is_plain(data, count, type, peer, tag, comm, &bytes))
        return wm_p2p_plain_await(comm, data, bytes, peer, tag, status);
    return recv_any(data, count, type, peer, tag, comm, status);
}

int wm_p2p_irecv_any(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                     struct wm_p2p_request **request)
{
    struct wm_p2p_operation o;
    int error = wm_p2p_operation_receive(&o, data, count, type, peer, tag, comm);

    return error != MPI_SUCCESS ? error : wm_p2p_operation_begin(&o, false, request);
}

int wm_p2p_irecv(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                 struct wm_p2p_request **request)
{
    return wm_p2p_irecv_inline(data, count, type, peer, tag, comm, request);
}

int wm_p2p_recv_init(void *data, int count, MPI_Datatype type, int peer, int tag, struct wm_p2p_comm *comm,
                     struct wm_p2p_request **request)
{
    struct wm_p2p_operation o;
    int error = wm_p2p_operation_receive(&o, data, count, type, peer, tag, comm);

    return error != MPI_SUCCESS ? error : wm_p2p_operation_keep(&o, request);
}

int wm_p2p_start(struct wm_p2p_request **request)
{
    struct wm_p2p_request *r = request != NULL ? *request : WM_P2P_REQUEST_NULL;

    return r == WM_P2P_REQUEST_NULL || !r->persistent || r->active ? MPI_ERR_REQUEST : wm_p2p_request_start(r);
}

int wm_p2p_startall(int count, struct wm_p2p_request *requests[])
{
    int error = count < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;

    for (int i = 0; i < count && error == MPI_SUCCESS; i++)
        error = wm_p2p_start(&requests[i]);
    return error;
}

/* ---- both ---- */

static int exchange(const struct wm_p2p_operation *send, const struct wm_p2p_operation *receive, MPI_Status *status)
{
    struct wm_p2p_request *sent, *received;
    int send_error, error = wm_p2p_operation_begin(receive, true, &received);

    if (error != MPI_SUCCESS)
        return error;
    if ((error = wm_p2p_operation_begin(send, true, &sent)) != MPI_SUCCESS) {
        wm_p2p_cancel(&received);
        wm_p2p_request_leave(received);
        return error;
    }
    send_error = wm_p2p_request_wait(sent, MPI_STATUS_IGNORE);
    error = wm_p2p_request_wait(received, status);
    return send_error != MPI_SUCCESS ? send_error : error;
}

int wm_p2p_sendrecv_any(const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int room,
                        MPI_Datatype received_type, int from, int received_tag, struct wm_p2p_comm *comm,
                        MPI_Status *status)
{
    struct wm_p2p_operation send, receive;
    int error = wm_p2p_operation_send(&send, WM_P2P_STANDARD, data, count, type, to, tag, comm);

    if (error == MPI_SUCCESS)
        error = wm_p2p_operation_receive(&receive, received, room, received_type, from, received_tag, comm);
    return error != MPI_SUCCESS ? error : exchange(&send, &receive, status);
}

int wm_p2p_sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int room,
                    MPI_Datatype received_type, int from, int received_tag, struct wm_p2p_comm *comm,
                    MPI_Status *status)
{
    return wm_p2p_sendrecv_inline(data, count, type, to, tag, received, room, received_type, from, received_tag, comm,
                                  status);
}

/* What is sent is packed first, also where it is straight. */
int wm_p2p_sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from, int received_tag,
                            struct wm_p2p_comm *comm, MPI_Status *status)
{
    struct wm_p2p_operation send, receive;
    struct wm_p2p_packed *packed;
    int error = wm_p2p_operation_send(&send, WM_P2P_STANDARD, data, count, type, to, tag, comm);

    if (error == MPI_SUCCESS)
        error = wm_p2p_operation_receive(&receive, data, count, type, from, received_tag, comm);
    if (error != MPI_SUCCESS)
        return error;
    if ((packed = wm_p2p_packed_new(&send.data)) == NULL)
        return MPI_ERR_NO_MEM;
    error = wm_p2p_data_pack(&send.data, packed->bytes);
    send.data.straight = true;
    send.data.at = packed->bytes;
    if (error == MPI_SUCCESS)
        error = exchange(&send, &receive, status);
    wm_p2p_packed_free(packed);
    return error;
}
