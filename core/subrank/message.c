/* Doors of sends, receives and probes: the functions of core/p2p, with MPI's handles. */
#include "core/p2p/operation.h"
#include "core/subrank/rank.h"

#define ENTER()                                                                                                        \
    WM_RANK_ENTER(__func__);                                                                                           \
    struct wm_rank_comm *c = wm_rank_comm_of(rank, comm);                                                              \
    struct wm_p2p_comm *messages = wm_rank_messages_of(c)
#define RETURN(error) return wm_rank_return(rank, c, __func__, error)

#define SEND const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm
#define RECEIVE void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm

/* A request of core/p2p is the user's handle, which is given where nothing is wrong. */
static struct wm_p2p_request **made(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return (struct wm_p2p_request **)(void *)request;
}

/* ---- sends ---- */

#define SENDS(name, mode)                                                                                              \
    WM_RANK_WAITING_DOOR int MPI_##name(SEND)                                                                          \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        RETURN(wm_p2p_send(mode, buf, count, datatype, dest, tag, messages));                                          \
    }
SENDS(Send, WM_P2P_STANDARD)
SENDS(Ssend, WM_P2P_SYNCHRONOUS)
SENDS(Bsend, WM_P2P_BUFFERED)
SENDS(Rsend, WM_P2P_READY)

#define BEGINS(name, function, mode)                                                                                   \
    WM_RANK_DOOR int MPI_##name(SEND, MPI_Request *request)                                                            \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        RETURN(function(mode, buf, count, datatype, dest, tag, messages, made(request)));                              \
    }
BEGINS(Isend, wm_p2p_isend_inline, WM_P2P_STANDARD)
BEGINS(Issend, wm_p2p_isend_inline, WM_P2P_SYNCHRONOUS)
BEGINS(Ibsend, wm_p2p_isend_inline, WM_P2P_BUFFERED)
BEGINS(Irsend, wm_p2p_isend_inline, WM_P2P_READY)
BEGINS(Send_init, wm_p2p_send_init, WM_P2P_STANDARD)
BEGINS(Ssend_init, wm_p2p_send_init, WM_P2P_SYNCHRONOUS)
BEGINS(Bsend_init, wm_p2p_send_init, WM_P2P_BUFFERED)
BEGINS(Rsend_init, wm_p2p_send_init, WM_P2P_READY)

WM_RANK_DOOR int MPI_Buffer_attach(void *buffer, int size)
{
    WM_RANK_ENTER(__func__);

    return wm_rank_return(rank, NULL, __func__, wm_p2p_buffer_attach(rank->process, buffer, size));
}

WM_RANK_DOOR int MPI_Buffer_detach(void *buffer, int *size)
{
    WM_RANK_ENTER(__func__);

    return wm_rank_return(rank, NULL, __func__, wm_p2p_buffer_detach(rank->process, buffer, size));
}

/* ---- receives ---- */

WM_RANK_WAITING_DOOR int MPI_Recv(RECEIVE, MPI_Status *status)
{
    ENTER();
    RETURN(wm_p2p_recv(buf, count, datatype, source, tag, messages, status));
}

WM_RANK_DOOR int MPI_Irecv(RECEIVE, MPI_Request *request)
{
    ENTER();
    RETURN(wm_p2p_irecv_inline(buf, count, datatype, source, tag, messages, made(request)));
}

WM_RANK_DOOR int MPI_Recv_init(RECEIVE, MPI_Request *request)
{
    ENTER();
    RETURN(wm_p2p_recv_init(buf, count, datatype, source, tag, messages, made(request)));
}

WM_RANK_WAITING_DOOR int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                                      void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                                      MPI_Comm comm, MPI_Status *status)
{
    ENTER();
    RETURN(wm_p2p_sendrecv_inline(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                  recvtag, messages, status));
}

WM_RANK_WAITING_DOOR int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                                              int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    ENTER();
    RETURN(wm_p2p_sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, messages, status));
}

/* ---- probes ---- */

WM_RANK_WAITING_DOOR int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    ENTER();
    RETURN(wm_p2p_probe(source, tag, messages, status));
}

WM_RANK_DOOR int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    ENTER();
    RETURN(wm_p2p_iprobe(source, tag, messages, flag, status));
}

/* A message of core/p2p is the user's handle, but for the two that MPI has names for. */
static MPI_Message message_made(struct wm_p2p_request *message)
{
    if (message == NULL)
        return MPI_MESSAGE_NULL;
    return message == &wm_p2p_message_no_proc ? MPI_MESSAGE_NO_PROC : (MPI_Message)message;
}

static struct wm_p2p_request *message_of(MPI_Message message)
{
    if (message == MPI_MESSAGE_NULL)
        return NULL;
    return message == MPI_MESSAGE_NO_PROC ? &wm_p2p_message_no_proc : (struct wm_p2p_request *)message;
}

WM_RANK_WAITING_DOOR int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    ENTER();
    struct wm_p2p_request *found = NULL;
    int error = wm_p2p_mprobe(source, tag, messages, &found, status);

    *message = message_made(found);
    RETURN(error);
}

WM_RANK_DOOR int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    ENTER();
    struct wm_p2p_request *found = NULL;
    int error = wm_p2p_improbe(source, tag, messages, flag, &found, status);

    *message = message_made(found);
    RETURN(error);
}

WM_RANK_WAITING_DOOR int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    WM_RANK_ENTER(__func__);
    struct wm_p2p_request *taken = message_of(*message);
    int error = wm_p2p_mrecv(buf, count, type, &taken, status);

    *message = message_made(taken);
    return wm_rank_return(rank, NULL, __func__, error);
}

WM_RANK_DOOR int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    WM_RANK_ENTER(__func__);
    struct wm_p2p_request *taken = message_of(*message);
    int error = wm_p2p_imrecv(buf, count, type, &taken, made(request));

    *message = message_made(taken);
    return wm_rank_return(rank, NULL, __func__, error);
}

/* ---- packing: the library's, whatever the communicator ---- */

WM_RANK_DOOR int MPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
                          int *position, MPI_Comm comm)
{
    ENTER();
    (void)messages;
    RETURN(c != NULL ? PMPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, MPI_COMM_SELF) : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
                            MPI_Datatype datatype, MPI_Comm comm)
{
    ENTER();
    (void)messages;
    RETURN(c != NULL ? PMPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, MPI_COMM_SELF) : MPI_ERR_COMM);
}

WM_RANK_DOOR int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    ENTER();
    (void)messages;
    RETURN(c != NULL ? PMPI_Pack_size(incount, datatype, MPI_COMM_SELF, size) : MPI_ERR_COMM);
}
