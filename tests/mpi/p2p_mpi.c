/* The functions of tests/mpi/p2p_mpi.h: from MPI's communicators to the layer's, and from classes to error handlers. */
#define P2P_MPI_ITSELF
#include "tests/mpi/p2p_mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include "core/data/geometry.h"
#include "core/message/span.h"
#include "core/node/node.h"
#include "core/p2p/p2p.h"
#include "tests/mpi/places.h"

static struct wm_endpoints *group;
static struct wm_p2p_process *process;
static int key = MPI_KEYVAL_INVALID; /* of a communicator's own of the layer */

static struct wm_p2p_comm *of(MPI_Comm comm)
{
    struct wm_p2p_comm *known = NULL;
    int flag = 0;

    if (comm != MPI_COMM_NULL)
        PMPI_Comm_get_attr(comm, key, (void *)&known, &flag);
    return flag ? known : NULL;
}

static int end(MPI_Comm comm, int error)
{
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm != MPI_COMM_NULL ? comm : MPI_COMM_WORLD, error);
    return error;
}

/* ---- communicators ---- */

static int forget(MPI_Comm comm, int its_key, void *known, void *extra)
{
    (void)comm, (void)its_key, (void)extra;
    wm_p2p_comm_free(known);
    return MPI_SUCCESS;
}

/* Of an intercommunicator an allreduce gives what the other group has: the second one gives the greatest of both. */
static int32_t agree(MPI_Comm comm)
{
    int32_t mine = wm_p2p_next_context(process), theirs;

    for (int i = 0; i < 2; i++) {
        PMPI_Allreduce(&mine, &theirs, 1, MPI_INT32_T, MPI_MAX, comm);
        mine = theirs > mine ? theirs : mine;
    }
    return mine;
}

/* A communicator has been made. Collective over it. */
static int adopt(MPI_Comm comm)
{
    MPI_Group ranks, world;
    int inter, size, self, *local, *endpoints;

    if (comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_group(comm, &ranks);
    else
        PMPI_Comm_group(comm, &ranks);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(ranks, &size);
    PMPI_Comm_rank(comm, &self);
    local = malloc(sizeof *local * (size_t)size);
    endpoints = malloc(sizeof *endpoints * (size_t)size);
    for (int i = 0; i < size; i++)
        local[i] = i;
    PMPI_Group_translate_ranks(ranks, size, local, world, endpoints);
    PMPI_Comm_set_attr(comm, key, wm_p2p_comm_new(process, agree(comm), self, size, endpoints));
    PMPI_Group_free(&ranks);
    PMPI_Group_free(&world);
    free(local);
    free(endpoints);
    return MPI_SUCCESS;
}

static void tell(const char *sentence)
{
    fprintf(stderr, "p2p: %s\n", sentence);
}

static void start(void)
{
    const char *nodes = getenv("WM_P2P_NODES"), *says = getenv("WM_P2P_SAYS");
    struct wm_message_limits limits = {.tell = says != NULL ? tell : NULL};
    struct wm_place *places;
    int rank, ranks;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    places = places_on(nodes != NULL ? atoi(nodes) : 1, ranks);
    wm_node_start(places, 1);
    wm_geometry_start();
    group = wm_endpoints_span(MPI_COMM_WORLD, places, 1, &limits);
    free(places);
    wm_p2p_process_new(&process, group, rank, NULL);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    adopt(MPI_COMM_WORLD);
    adopt(MPI_COMM_SELF);
}

int p2p_mpi_Init(int *argc, char ***argv)
{
    int error = PMPI_Init(argc, argv);

    start();
    return error;
}

int p2p_mpi_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int error =
        PMPI_Init_thread(argc, argv, required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED, provided);

    start();
    return error;
}

int p2p_mpi_Finalize(void)
{
    PMPI_Comm_delete_attr(MPI_COMM_SELF, key);
    PMPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    wm_p2p_process_free(process, false);
    wm_endpoints_free(group);
    wm_geometry_stop();
    wm_node_stop();
    return PMPI_Finalize();
}

/* NAME(PARAMETERS): MPI's own makes a communicator. */
#define MAKES(name, parameters, arguments)                                                                             \
    int p2p_mpi_##name parameters                                                                                      \
    {                                                                                                                  \
        int error = PMPI_##name arguments;                                                                             \
                                                                                                                       \
        return error != MPI_SUCCESS ? error : adopt(*made);                                                            \
    }
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int order, MPI_Comm *made), (comm, color, order, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group ranks, MPI_Comm *made), (comm, ranks, made))
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group ranks, int tag, MPI_Comm *made), (comm, ranks, tag, made))
MAKES(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm *made),
      (comm, leader, bridge, remote_leader, tag, made))
MAKES(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
MAKES(Cart_create, (MPI_Comm comm, int dims, const int sizes[], const int rings[], int reorder, MPI_Comm *made),
      (comm, dims, sizes, rings, reorder, made))

/* ---- sends and receives ---- */

#define SENDS(prefix, mode)                                                                                            \
    int p2p_mpi_##prefix(P2P_SEND)                                                                                     \
    {                                                                                                                  \
        return end(comm, wm_p2p_send(mode, data, count, type, peer, tag, of(comm)));                                   \
    }
SENDS(Send, WM_P2P_STANDARD)
SENDS(Ssend, WM_P2P_SYNCHRONOUS)
SENDS(Bsend, WM_P2P_BUFFERED)
SENDS(Rsend, WM_P2P_READY)

#define BEGINS(name, function, mode)                                                                                   \
    int p2p_mpi_##name(P2P_SEND, MPI_Request *request)                                                                 \
    {                                                                                                                  \
        return end(comm, function(mode, data, count, type, peer, tag, of(comm), request));                             \
    }
BEGINS(Isend, wm_p2p_isend, WM_P2P_STANDARD)
BEGINS(Issend, wm_p2p_isend, WM_P2P_SYNCHRONOUS)
BEGINS(Ibsend, wm_p2p_isend, WM_P2P_BUFFERED)
BEGINS(Irsend, wm_p2p_isend, WM_P2P_READY)
BEGINS(Send_init, wm_p2p_send_init, WM_P2P_STANDARD)
BEGINS(Ssend_init, wm_p2p_send_init, WM_P2P_SYNCHRONOUS)
BEGINS(Bsend_init, wm_p2p_send_init, WM_P2P_BUFFERED)
BEGINS(Rsend_init, wm_p2p_send_init, WM_P2P_READY)

int p2p_mpi_Recv(P2P_RECEIVE, MPI_Status *status)
{
    return end(comm, wm_p2p_recv(data, count, type, peer, tag, of(comm), status));
}

int p2p_mpi_Irecv(P2P_RECEIVE, MPI_Request *request)
{
    return end(comm, wm_p2p_irecv(data, count, type, peer, tag, of(comm), request));
}

int p2p_mpi_Recv_init(P2P_RECEIVE, MPI_Request *request)
{
    return end(comm, wm_p2p_recv_init(data, count, type, peer, tag, of(comm), request));
}

int p2p_mpi_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *received, int room,
                     MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm, MPI_Status *status)
{
    return end(comm, wm_p2p_sendrecv(data, count, type, to, tag, received, room, received_type, from, received_tag,
                                     of(comm), status));
}

int p2p_mpi_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from, int received_tag,
                             MPI_Comm comm, MPI_Status *status)
{
    return end(comm, wm_p2p_sendrecv_replace(data, count, type, to, tag, from, received_tag, of(comm), status));
}

int p2p_mpi_Buffer_attach(void *buffer, int bytes)
{
    return end(MPI_COMM_WORLD, wm_p2p_buffer_attach(process, buffer, bytes));
}

int p2p_mpi_Buffer_detach(void *buffer, int *bytes)
{
    return end(MPI_COMM_WORLD, wm_p2p_buffer_detach(process, buffer, bytes));
}

int p2p_mpi_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    return end(comm, wm_p2p_probe(peer, tag, of(comm), status));
}

int p2p_mpi_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    return end(comm, wm_p2p_iprobe(peer, tag, of(comm), flag, status));
}

int p2p_mpi_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    return end(comm, wm_p2p_mprobe(peer, tag, of(comm), message, status));
}

int p2p_mpi_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    return end(comm, wm_p2p_improbe(peer, tag, of(comm), flag, message, status));
}

/* ---- what has no communicator ---- */

#define PASSES(name, function, parameters, arguments)                                                                  \
    int p2p_mpi_##name parameters                                                                                      \
    {                                                                                                                  \
        return end(MPI_COMM_WORLD, function arguments);                                                                \
    }
#define SEVERAL int count, MPI_Request requests[]
PASSES(Mrecv, wm_p2p_mrecv, (void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
       (data, count, type, message, status))
PASSES(Imrecv, wm_p2p_imrecv, (void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
       (data, count, type, message, request))
PASSES(Start, wm_p2p_start, (MPI_Request * request), (request))
PASSES(Startall, wm_p2p_startall, (SEVERAL), (count, requests))
PASSES(Wait, wm_p2p_wait, (MPI_Request * request, MPI_Status *status), (request, status))
PASSES(Test, wm_p2p_test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
PASSES(Waitany, wm_p2p_waitany, (SEVERAL, int *index, MPI_Status *status), (count, requests, index, status))
PASSES(Testany, wm_p2p_testany, (SEVERAL, int *index, int *flag, MPI_Status *status),
       (count, requests, index, flag, status))
PASSES(Waitsome, wm_p2p_waitsome, (SEVERAL, int *some, int indices[], MPI_Status statuses[]),
       (count, requests, some, indices, statuses))
PASSES(Testsome, wm_p2p_testsome, (SEVERAL, int *some, int indices[], MPI_Status statuses[]),
       (count, requests, some, indices, statuses))
PASSES(Waitall, wm_p2p_waitall, (SEVERAL, MPI_Status statuses[]), (count, requests, statuses))
PASSES(Testall, wm_p2p_testall, (SEVERAL, int *flag, MPI_Status statuses[]), (count, requests, flag, statuses))
PASSES(Request_get_status, wm_p2p_request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
       (request, flag, status))
PASSES(Request_free, wm_p2p_request_free, (MPI_Request * request), (request))
PASSES(Cancel, wm_p2p_cancel, (MPI_Request * request), (request))
