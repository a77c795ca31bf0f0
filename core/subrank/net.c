/* The net of subranks: messages of core/p2p, to siblings as to ranks of other processes. */
#include <limits.h>
#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/p2p/process.h"
#include "core/subrank/collective.h"

struct net_rank {
    struct wm_net net;
    struct wm_p2p_comm *messages;
    int count, room;
    struct wm_p2p_request **requests;
    struct wm_ticket *tickets;
};

static void reserve(struct net_rank *n)
{
    if (n->count < n->room)
        return;
    n->room = n->room > 0 ? 2 * n->room : 16;
    n->requests = realloc(n->requests, (size_t)n->room * sizeof *n->requests);
    n->tickets = realloc(n->tickets, (size_t)n->room * sizeof *n->tickets);
    if (n->requests == NULL || n->tickets == NULL)
        wm_out_of_memory("messages");
}

/* Most sends are over at once, and a receive whose message is there. */
static int begun(struct net_rank *n, struct wm_p2p_request *request, struct wm_ticket ticket, bool *done)
{
    *done = wm_p2p_request_is_done(request);
    if (*done)
        return wm_p2p_request_finish(request, MPI_STATUS_IGNORE);
    wm_p2p_count(request, WM_P2P_AWAITED, &request->process->always);
    n->requests[n->count] = request;
    n->tickets[n->count++] = ticket;
    return MPI_SUCCESS;
}

static int net_send(struct wm_net *net, const struct wm_message *m, struct wm_ticket ticket, bool *done)
{
    struct net_rank *n = (struct net_rank *)net;
    struct wm_p2p_request *request;
    int error = m->count <= INT_MAX ? wm_p2p_isend(WM_P2P_STANDARD, m->address, (int)m->count, m->type, m->peer, m->tag,
                                                   n->messages, &request)
                                    : MPI_ERR_COUNT;

    *done = false;
    reserve(n);
    return error == MPI_SUCCESS ? begun(n, request, ticket, done) : error;
}

static int net_receive(struct wm_net *net, const struct wm_message *m, struct wm_ticket ticket, bool *done)
{
    struct net_rank *n = (struct net_rank *)net;
    struct wm_p2p_request *request;
    int error = m->count <= INT_MAX
                    ? wm_p2p_irecv(m->address, (int)m->count, m->type, m->peer, m->tag, n->messages, &request)
                    : MPI_ERR_COUNT;

    *done = false;
    reserve(n);
    return error == MPI_SUCCESS ? begun(n, request, ticket, done) : error;
}

/* Who waits sleeps (wm_p2p_sleep), until a request is done: the engine of a rank is never asked to. */
static int net_progress(struct wm_net *net, bool wait, struct wm_ticket *done, int room, int *count)
{
    struct net_rank *n = (struct net_rank *)net;
    int kept = 0;

    (void)wait;
    *count = 0;
    for (int i = 0; i < n->count; i++) {
        if (*count < room && wm_p2p_request_is_done(n->requests[i])) {
            done[*count] = n->tickets[i];
            done[(*count)++].error = wm_p2p_request_finish(n->requests[i], MPI_STATUS_IGNORE);
        } else {
            n->requests[kept] = n->requests[i];
            n->tickets[kept++] = n->tickets[i];
        }
    }
    n->count = kept;
    return MPI_SUCCESS;
}

static bool net_busy(const struct wm_net *net)
{
    return ((const struct net_rank *)net)->count > 0;
}

static void net_expect(struct wm_net *net, int peer)
{
    (void)net, (void)peer;
}

/* No guard watches over subranks. */
static void net_abandon(struct wm_net *net)
{
    (void)net;
}

static void net_free(struct wm_net *net)
{
    struct net_rank *n = (struct net_rank *)net;

    free(n->requests);
    free(n->tickets);
    free(n);
}

static const struct wm_net_class net_rank_class = {
    .name = "subranks",
    .send = net_send,
    .receive = net_receive,
    .progress = net_progress,
    .busy = net_busy,
    .expect = net_expect,
    .abandon = net_abandon,
    .free = net_free,
};

struct wm_net *wm_rank_net_new(struct wm_p2p_comm *messages)
{
    struct net_rank *n = wm_allocate_zeroed(sizeof *n, "a communicator");

    n->net.class = &net_rank_class;
    n->messages = messages;
    messages->apart = true;
    return &n->net;
}
