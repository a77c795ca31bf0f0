/* The net over MPI's nonblocking point-to-point messages, on the shadow. */
#include "core/net/net.h"

#include <limits.h>
#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/net/shadow.h"
#include "core/node/progress_library.h"

struct net_mpi {
    struct wm_net net;
    struct wm_net_peers peers;
    int count, room;
    int complete; /* of `count`: null requests, whose tickets have not been given back */
    MPI_Request *requests;
    struct wm_ticket *tickets;
    int *indices;
    MPI_Status *statuses;
};

static void reserve(struct net_mpi *n)
{
    int room = n->room ? 2 * n->room : 32;
    void *requests, *tickets, *indices, *statuses;

    if (n->count < n->room)
        return;
    if ((requests = realloc(n->requests, sizeof *n->requests * (size_t)room)) != NULL)
        n->requests = requests;
    if ((tickets = realloc(n->tickets, sizeof *n->tickets * (size_t)room)) != NULL)
        n->tickets = tickets;
    if ((indices = realloc(n->indices, sizeof *n->indices * (size_t)room)) != NULL)
        n->indices = indices;
    if ((statuses = realloc(n->statuses, sizeof *n->statuses * (size_t)room)) != NULL)
        n->statuses = statuses;
    if (statuses == NULL || requests == NULL || tickets == NULL || indices == NULL)
        wm_out_of_memory("messages");
    n->room = room;
}

/* A type of `count` elements for a count that no int holds: blocks of 2^30, and the rest behind them. */
static int large_type(size_t count, MPI_Datatype type, MPI_Datatype *large)
{
    const size_t block = (size_t)1 << 30;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, blocks;
    MPI_Aint low, extent, places[2] = {0, 0};
    int lengths[2] = {1, 1}, rc;

    PMPI_Type_get_extent(type, &low, &extent);
    places[1] = (MPI_Aint)(count / block * block) * extent;
    if ((rc = PMPI_Type_contiguous((int)block, type, &blocks)) != MPI_SUCCESS)
        return rc;
    rc = PMPI_Type_contiguous((int)(count / block), blocks, &parts[0]);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Type_contiguous((int)(count % block), type, &parts[1]);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Type_create_struct(2, lengths, places, parts, large);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Type_commit(large);
    PMPI_Type_free(&blocks);
    for (int i = 0; i < 2; i++)
        if (parts[i] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&parts[i]);
    return rc;
}

/* The tag has the receiver's number. */
static int post(struct net_mpi *n, const struct wm_message *m, int count, MPI_Datatype type, bool send)
{
    const struct wm_net_peers *p = &n->peers;
    int tag = p->numbers[send ? m->peer : p->self] << WM_NET_TAG_BITS | m->tag;
    MPI_Request *request = &n->requests[n->count];

    return send ? PMPI_Isend(m->address, count, type, p->world[m->peer], tag, wm_net_shadow, request)
                : PMPI_Irecv(m->address, count, type, p->world[m->peer], tag, wm_net_shadow, request);
}

static int start(struct net_mpi *n, const struct wm_message *m, struct wm_ticket ticket, bool send)
{
    MPI_Datatype large;
    int rc;

    reserve(n);
    if (m->count <= INT_MAX) {
        rc = post(n, m, (int)m->count, m->type, send);
    } else if ((rc = large_type(m->count, m->type, &large)) == MPI_SUCCESS) {
        rc = post(n, m, 1, large, send);
        PMPI_Type_free(&large);
    }
    if (rc == MPI_SUCCESS)
        n->tickets[n->count++] = ticket;
    return rc;
}

/* Is the latest message complete? Who asks keeps the processor. */
static int test(struct net_mpi *n, int *flag)
{
    bool yields = wm_progress_stop_yields();
    int rc = PMPI_Test(&n->requests[n->count - 1], flag, MPI_STATUS_IGNORE);

    wm_progress_let_yield(yields);
    return rc;
}

/* Small messages are sent eagerly and are complete at once; to know it saves a wait. */
enum { EAGER_BYTES = 4096 };

static int net_send(struct wm_net *net, const struct wm_message *message, struct wm_ticket ticket, bool *done)
{
    struct net_mpi *n = (struct net_mpi *)net;
    int rc = start(n, message, ticket, true), flag = 0;

    if (rc == MPI_SUCCESS && message->bytes <= EAGER_BYTES && (rc = test(n, &flag)) == MPI_SUCCESS && flag)
        n->count--;
    *done = flag;
    return rc;
}

static int net_receive(struct wm_net *net, const struct wm_message *message, struct wm_ticket ticket, bool *done)
{
    *done = false;
    return start((struct net_mpi *)net, message, ticket, false);
}

/* Ask the library about all requests: one that is left out could be the one that the others wait for. What is complete
 * becomes a null request; its ticket has the error. */
static int collect(struct net_mpi *n, bool wait)
{
    int completed = 0, rc = wait ? PMPI_Waitsome(n->count, n->requests, &completed, n->indices, n->statuses)
                                 : PMPI_Testsome(n->count, n->requests, &completed, n->indices, n->statuses);

    if (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS)
        return rc;
    for (int i = 0; i < completed; i++) {
        n->requests[n->indices[i]] = MPI_REQUEST_NULL; /* those that failed, too */
        n->tickets[n->indices[i]].error = rc == MPI_ERR_IN_STATUS ? n->statuses[i].MPI_ERROR : MPI_SUCCESS;
    }
    n->complete = completed > 0 ? completed : 0;
    return MPI_SUCCESS;
}

/* Take out at most `room` complete ones; the others stay for the next time. */
static int take_out(struct net_mpi *n, struct wm_ticket *done, int room)
{
    int kept = 0, taken = 0;

    for (int i = 0; i < n->count; i++) {
        if (n->requests[i] == MPI_REQUEST_NULL && taken < room) {
            done[taken++] = n->tickets[i];
        } else {
            n->requests[kept] = n->requests[i];
            n->tickets[kept++] = n->tickets[i];
        }
    }
    n->count = kept;
    n->complete -= taken;
    return taken;
}

static int net_progress(struct wm_net *net, bool wait, struct wm_ticket *done, int room, int *count)
{
    struct net_mpi *n = (struct net_mpi *)net;
    int rc;

    *count = 0;
    if (n->count == 0)
        return MPI_SUCCESS;
    if (wait && n->count == 1 && n->complete == 0) {
        done[0] = n->tickets[0];
        done[0].error = PMPI_Wait(&n->requests[0], MPI_STATUS_IGNORE);
        *count = 1;
        n->count = 0;
        return MPI_SUCCESS;
    }
    if (n->complete == 0 && (rc = collect(n, wait)) != MPI_SUCCESS)
        return rc;
    if (n->complete > 0)
        *count = take_out(n, done, room);
    return MPI_SUCCESS;
}

static bool net_busy(const struct wm_net *net)
{
    return ((const struct net_mpi *)net)->count > 0;
}

static void net_expect(struct wm_net *net, int peer)
{
    (void)net, (void)peer;
}

/* The library cancels receives that have no message yet; it has all else until that comes. */
static void net_abandon(struct wm_net *net)
{
    struct net_mpi *n = (struct net_mpi *)net;

    for (int i = 0; i < n->count; i++)
        if (n->requests[i] != MPI_REQUEST_NULL) {
            PMPI_Cancel(&n->requests[i]);
            PMPI_Request_free(&n->requests[i]);
        }
    n->count = n->complete = 0;
}

static void net_free(struct wm_net *net)
{
    struct net_mpi *n = (struct net_mpi *)net;

    free(n->requests);
    free(n->tickets);
    free(n->indices);
    free(n->statuses);
    free(n);
}

static const struct wm_net_class net_mpi_class = {
    .name = "mpi",
    .send = net_send,
    .receive = net_receive,
    .progress = net_progress,
    .busy = net_busy,
    .expect = net_expect,
    .abandon = net_abandon,
    .free = net_free,
};

struct wm_net *wm_net_mpi_new(const struct wm_net_peers *peers)
{
    struct net_mpi *n = wm_allocate_zeroed(sizeof *n, "a communicator");

    n->net.class = &net_mpi_class;
    n->peers = *peers;
    return &n->net;
}
