/* Point-to-point functions of MPI by the layer, for programs that are compiled against it: included before all else
 * (-include). Communicators are MPI's, so that all other functions are MPI's own; each has one of the layer's beside
 * it. Requests and messages are the layer's, and so cannot be given to other functions of MPI. */
#ifndef WM_TESTS_P2P_MPI_H
#define WM_TESTS_P2P_MPI_H

#include <mpi.h>

typedef struct wm_p2p_request *p2p_mpi_request;
#define MPI_Request p2p_mpi_request
#define MPI_Message p2p_mpi_request
#undef MPI_MESSAGE_NULL
#define MPI_MESSAGE_NULL ((p2p_mpi_request)0)
#undef MPI_MESSAGE_NO_PROC
#define MPI_MESSAGE_NO_PROC (&wm_p2p_message_no_proc)
extern struct wm_p2p_request wm_p2p_message_no_proc;

#define P2P_SEND const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm
#define P2P_RECEIVE void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm

/* X(name, parameters) */
/* clang-format off */
#define P2P_MPI_FUNCTIONS(X)                                                                                           \
    X(Init, (int *argc, char ***argv))                                                                                 \
    X(Init_thread, (int *argc, char ***argv, int required, int *provided))                                             \
    X(Finalize, (void))                                                                                                \
    X(Comm_dup, (MPI_Comm comm, MPI_Comm *made))                                                                       \
    X(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made))                                                 \
    X(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made))                                                   \
    X(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made))                                    \
    X(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm *made))      \
    X(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made))                                                      \
    X(Cart_create, (MPI_Comm comm, int dims, const int sizes[], const int rings[], int reorder, MPI_Comm *made))       \
    X(Send, (P2P_SEND)) X(Ssend, (P2P_SEND)) X(Bsend, (P2P_SEND)) X(Rsend, (P2P_SEND))                                 \
    X(Isend, (P2P_SEND, MPI_Request *request)) X(Issend, (P2P_SEND, MPI_Request *request))                             \
    X(Ibsend, (P2P_SEND, MPI_Request *request)) X(Irsend, (P2P_SEND, MPI_Request *request))                            \
    X(Send_init, (P2P_SEND, MPI_Request *request)) X(Ssend_init, (P2P_SEND, MPI_Request *request))                     \
    X(Bsend_init, (P2P_SEND, MPI_Request *request)) X(Rsend_init, (P2P_SEND, MPI_Request *request))                    \
    X(Recv, (P2P_RECEIVE, MPI_Status *status))                                                                         \
    X(Irecv, (P2P_RECEIVE, MPI_Request *request)) X(Recv_init, (P2P_RECEIVE, MPI_Request *request))                    \
    X(Start, (MPI_Request *request)) X(Startall, (int count, MPI_Request requests[]))                                  \
    X(Sendrecv, (const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int room,            \
                 MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm, MPI_Status *status))           \
    X(Sendrecv_replace, (void *data, int count, MPI_Datatype type, int to, int tag, int from, int received_tag,        \
                         MPI_Comm comm, MPI_Status *status))                                                           \
    X(Buffer_attach, (void *buffer, int bytes)) X(Buffer_detach, (void *buffer, int *bytes))                           \
    X(Probe, (int peer, int tag, MPI_Comm comm, MPI_Status *status))                                                   \
    X(Iprobe, (int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status))                                       \
    X(Mprobe, (int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status))                            \
    X(Improbe, (int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status))                \
    X(Mrecv, (void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status))                     \
    X(Imrecv, (void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request))                  \
    X(Wait, (MPI_Request *request, MPI_Status *status))                                                                \
    X(Test, (MPI_Request *request, int *flag, MPI_Status *status))                                                     \
    X(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status))                                    \
    X(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status))                         \
    X(Waitsome, (int count, MPI_Request requests[], int *some, int indices[], MPI_Status statuses[]))                  \
    X(Testsome, (int count, MPI_Request requests[], int *some, int indices[], MPI_Status statuses[]))                  \
    X(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]))                                             \
    X(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]))                                  \
    X(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status))                                        \
    X(Request_free, (MPI_Request *request)) X(Cancel, (MPI_Request *request))
/* clang-format on */

#define X(name, parameters) int p2p_mpi_##name parameters;
P2P_MPI_FUNCTIONS(X)
#undef X

#ifndef P2P_MPI_ITSELF
#define MPI_Init p2p_mpi_Init
#define MPI_Init_thread p2p_mpi_Init_thread
#define MPI_Finalize p2p_mpi_Finalize
#define MPI_Comm_dup p2p_mpi_Comm_dup
#define MPI_Comm_split p2p_mpi_Comm_split
#define MPI_Comm_create p2p_mpi_Comm_create
#define MPI_Comm_create_group p2p_mpi_Comm_create_group
#define MPI_Intercomm_create p2p_mpi_Intercomm_create
#define MPI_Intercomm_merge p2p_mpi_Intercomm_merge
#define MPI_Cart_create p2p_mpi_Cart_create
#define MPI_Send p2p_mpi_Send
#define MPI_Ssend p2p_mpi_Ssend
#define MPI_Bsend p2p_mpi_Bsend
#define MPI_Rsend p2p_mpi_Rsend
#define MPI_Isend p2p_mpi_Isend
#define MPI_Issend p2p_mpi_Issend
#define MPI_Ibsend p2p_mpi_Ibsend
#define MPI_Irsend p2p_mpi_Irsend
#define MPI_Send_init p2p_mpi_Send_init
#define MPI_Ssend_init p2p_mpi_Ssend_init
#define MPI_Bsend_init p2p_mpi_Bsend_init
#define MPI_Rsend_init p2p_mpi_Rsend_init
#define MPI_Recv p2p_mpi_Recv
#define MPI_Irecv p2p_mpi_Irecv
#define MPI_Recv_init p2p_mpi_Recv_init
#define MPI_Start p2p_mpi_Start
#define MPI_Startall p2p_mpi_Startall
#define MPI_Sendrecv p2p_mpi_Sendrecv
#define MPI_Sendrecv_replace p2p_mpi_Sendrecv_replace
#define MPI_Buffer_attach p2p_mpi_Buffer_attach
#define MPI_Buffer_detach p2p_mpi_Buffer_detach
#define MPI_Probe p2p_mpi_Probe
#define MPI_Iprobe p2p_mpi_Iprobe
#define MPI_Mprobe p2p_mpi_Mprobe
#define MPI_Improbe p2p_mpi_Improbe
#define MPI_Mrecv p2p_mpi_Mrecv
#define MPI_Imrecv p2p_mpi_Imrecv
#define MPI_Wait p2p_mpi_Wait
#define MPI_Test p2p_mpi_Test
#define MPI_Waitany p2p_mpi_Waitany
#define MPI_Testany p2p_mpi_Testany
#define MPI_Waitsome p2p_mpi_Waitsome
#define MPI_Testsome p2p_mpi_Testsome
#define MPI_Waitall p2p_mpi_Waitall
#define MPI_Testall p2p_mpi_Testall
#define MPI_Request_get_status p2p_mpi_Request_get_status
#define MPI_Request_free p2p_mpi_Request_free
#define MPI_Cancel p2p_mpi_Cancel
#endif

#endif
