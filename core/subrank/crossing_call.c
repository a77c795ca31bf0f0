/* Collectives of intercommunicators as crossings (MPI 3.1, 5.2.3): what each operation does in which step. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/p2p/process.h"
#include "core/subrank/collective.h"
#include "core/subrank/crossing.h"
#include "core/subrank/inter.h"

static const char what[] = "a collective between two groups";

/* ---- steps ---- */

static void before(struct wm_rank_crossing *k, const struct wm_call *call)
{
    k->has_before = true;
    k->before = *call;
}

static void after(struct wm_rank_crossing *k, const struct wm_call *call)
{
    k->has_after = true;
    k->after = *call;
}

static void send(struct wm_rank_crossing *k, int peer, const void *at, int count, MPI_Datatype type)
{
    wm_rank_crossing_add(k, true, peer, &(struct wm_side_block){(void *)at, count, type});
}

static void receive(struct wm_rank_crossing *k, int peer, void *at, int count, MPI_Datatype type)
{
    wm_rank_crossing_add(k, false, peer, &(struct wm_side_block){at, count, type});
}

static bool is_first(const struct wm_rank_crossing *k)
{
    return k->comm->self == 0;
}

static void spread(struct wm_rank_crossing *k, void *at, int count, MPI_Datatype type)
{
    after(k, &(struct wm_call){.operation = WM_BCAST, .receive = at, .receive_count = count, .receive_type = type});
    wm_retain_type(&k->retained, type);
}

/* Room for elements, at the first rank. */
static void *room_for(struct wm_rank_crossing *k, int which, size_t count, MPI_Datatype type)
{
    struct wm_geometry g;
    ptrdiff_t shift;

    if (!is_first(k) || wm_geometry_read(&g, type) != MPI_SUCCESS)
        return NULL;
    k->room[which] = wm_allocate(wm_geometry_span(&g, count, &shift) + 1, what);
    return (char *)k->room[which] + shift;
}

/* ---- operations ---- */

static int barrier(struct wm_rank_crossing *k, const struct wm_call *call)
{
    before(k, call);
    after(k, call);
    if (is_first(k)) {
        receive(k, 0, NULL, 0, MPI_BYTE);
        send(k, 0, NULL, 0, MPI_BYTE);
    }
    return MPI_SUCCESS;
}

static int broadcast(struct wm_rank_crossing *k, const struct wm_call *call)
{
    if (call->root == MPI_ROOT) {
        send(k, 0, call->receive, call->receive_count, call->receive_type);
        return MPI_SUCCESS;
    }
    if (is_first(k))
        receive(k, call->root, call->receive, call->receive_count, call->receive_type);
    spread(k, call->receive, call->receive_count, call->receive_type);
    return MPI_SUCCESS;
}

/* What the group brings comes to the first rank, combined. */
static int combine(struct wm_rank_crossing *k, const struct wm_call *call, size_t count, void **combined)
{
    struct wm_geometry g;

    if (wm_geometry_read(&g, call->receive_type) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    if (call->op == MPI_OP_NULL || !wm_geometry_combines(call->receive_type, call->op))
        return MPI_ERR_OP;
    if (count > INT_MAX)
        return MPI_ERR_COUNT;
    *combined = room_for(k, 0, count, call->receive_type);
    before(k, &(struct wm_call){.operation = WM_REDUCE,
                                .send = call->send,
                                .receive = *combined,
                                .receive_count = (int)count,
                                .receive_type = call->receive_type,
                                .op = call->op});
    wm_retain_type(&k->retained, call->receive_type);
    wm_retain_op(&k->retained, call->op);
    return MPI_SUCCESS;
}

static int reduce(struct wm_rank_crossing *k, const struct wm_call *call)
{
    void *combined;
    int error;

    if (call->root == MPI_ROOT) {
        receive(k, 0, call->receive, call->receive_count, call->receive_type);
        return MPI_SUCCESS;
    }
    error = combine(k, call, (size_t)call->receive_count, &combined);
    if (error == MPI_SUCCESS && is_first(k))
        send(k, call->root, combined, call->receive_count, call->receive_type);
    return error;
}

static int reduce_for_all(struct wm_rank_crossing *k, const struct wm_call *call)
{
    void *combined;
    int error = combine(k, call, (size_t)call->receive_count, &combined);

    if (error == MPI_SUCCESS && is_first(k)) {
        receive(k, 0, call->receive, call->receive_count, call->receive_type);
        send(k, 0, combined, call->receive_count, call->receive_type);
    }
    spread(k, call->receive, call->receive_count, call->receive_type);
    return error;
}

/* The counts of the own ranks, and where their blocks begin: in room that lasts. Returns their sum; -1: one is
 * negative.
 */
static int64_t place_blocks(struct wm_rank_crossing *k, const struct wm_call *call, int **counts, int **places)
{
    int size = k->comm->size;
    int64_t sum = 0;

    *counts = k->room[2] = wm_allocate((size_t)size * 2 * sizeof **counts, what);
    *places = *counts + size;
    for (int i = 0; i < size; i++) {
        (*counts)[i] = call->receive_counts != NULL ? call->receive_counts[i] : call->receive_count;
        if ((*counts)[i] < 0)
            return -1;
        (*places)[i] = (int)sum;
        sum += (*counts)[i];
    }
    return sum;
}

static int reduce_and_scatter(struct wm_rank_crossing *k, const struct wm_call *call)
{
    int *counts, *places, error;
    void *combined, *come;
    int64_t sum = place_blocks(k, call, &counts, &places);

    if (sum < 0)
        return MPI_ERR_COUNT;
    if ((error = combine(k, call, (size_t)sum, &combined)) != MPI_SUCCESS)
        return error;
    come = room_for(k, 1, (size_t)sum, call->receive_type);
    if (is_first(k)) {
        receive(k, 0, come, (int)sum, call->receive_type);
        send(k, 0, combined, (int)sum, call->receive_type);
    }
    after(k, &(struct wm_call){.operation = WM_SCATTERV,
                               .send = come,
                               .send_counts = counts,
                               .send_displs = places,
                               .send_type = call->receive_type,
                               .receive = call->receive,
                               .receive_count = counts[k->comm->self],
                               .receive_type = call->receive_type});
    return MPI_SUCCESS;
}

/* ---- blocks from rank to rank ---- */

static int add_blocks(struct wm_rank_crossing *k, const struct wm_side *side, int first, int last)
{
    int error = MPI_SUCCESS;

    for (int peer = first; peer < last && error == MPI_SUCCESS; peer++) {
        struct wm_side_block block;

        error = wm_side_block(side, side->count > 1 ? peer : 0, &block);
        if (error == MPI_SUCCESS)
            wm_rank_crossing_add(k, !side->receives, peer, &block);
    }
    return error;
}

static int move(struct wm_rank_crossing *k, const struct wm_call *call)
{
    enum wm_flow_kind flow = wm_operation_flow(call->operation);
    int remote = k->comm->inter->remote->size, error = MPI_SUCCESS;
    bool has_root = flow != WM_FLOW_ALL, is_root = has_root && call->root == MPI_ROOT;
    int first = has_root && !is_root ? call->root : 0, last = has_root && !is_root ? first + 1 : remote;
    const struct wm_side in = {.receives = true,
                               .buffer = call->receive,
                               .count = flow == WM_FLOW_DOWN ? 1 : remote,
                               .each = call->receive_count,
                               .counts = call->receive_counts,
                               .displs = call->receive_displs,
                               .type = call->receive_type,
                               .types = call->receive_types};
    const struct wm_side out = {.buffer = call->send,
                                .count = wm_operation_sends_one_block(call->operation) ? 1 : remote,
                                .each = call->send_count,
                                .counts = call->send_counts,
                                .displs = call->send_displs,
                                .type = call->send_type,
                                .types = call->send_types};

    if (!has_root || is_root == (flow == WM_FLOW_UP))
        error = add_blocks(k, &in, first, last);
    if (error == MPI_SUCCESS && (!has_root || is_root == (flow == WM_FLOW_DOWN)))
        error = add_blocks(k, &out, first, last);
    return error;
}

/* ---- calls ---- */

typedef int build(struct wm_rank_crossing *crossing, const struct wm_call *call);

/* NULL: intracommunicators alone have it. */
static build *const builds[WM_COLLECTIVE_COUNT] = {
    [WM_BARRIER] = barrier,
    [WM_BCAST] = broadcast,
    [WM_REDUCE] = reduce,
    [WM_ALLREDUCE] = reduce_for_all,
    [WM_REDUCE_SCATTER] = reduce_and_scatter,
    [WM_REDUCE_SCATTER_BLOCK] = reduce_and_scatter,
    [WM_GATHER] = move,
    [WM_GATHERV] = move,
    [WM_SCATTER] = move,
    [WM_SCATTERV] = move,
    [WM_ALLGATHER] = move,
    [WM_ALLGATHERV] = move,
    [WM_ALLTOALL] = move,
    [WM_ALLTOALLV] = move,
    [WM_ALLTOALLW] = move,
};

static int check(const struct wm_rank_comm *c, const struct wm_call *call)
{
    if (builds[call->operation] == NULL)
        return MPI_ERR_COMM;
    if (wm_operation_rooted(call->operation) && call->root != MPI_ROOT && call->root != MPI_PROC_NULL &&
        (call->root < 0 || call->root >= c->inter->remote->size))
        return MPI_ERR_ROOT;
    return call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int wm_rank_cross_begin(struct wm_rank_comm *c, const struct wm_call *call, struct wm_p2p_request **request)
{
    struct wm_rank_crossing *k;
    int error = check(c, call);

    if (error != MPI_SUCCESS)
        return error;
    k = wm_rank_crossing_new(c);
    if (!wm_operation_rooted(call->operation) || call->root != MPI_PROC_NULL)
        error = builds[call->operation](k, call);
    if (error == MPI_SUCCESS)
        return wm_rank_crossing_begin(k, request);
    wm_rank_crossing_free(k);
    return error;
}

int wm_rank_cross(struct wm_rank_comm *c, const struct wm_call *call)
{
    struct wm_p2p_request *request;
    int error = wm_rank_cross_begin(c, call, &request);

    return error == MPI_SUCCESS ? wm_p2p_wait(&request, MPI_STATUS_IGNORE) : error;
}

/* ---- numbers ---- */

int wm_rank_numbers_begin(struct wm_rank_comm *c, struct wm_rank_numbers *n, void (*then)(void *with), void *with,
                          struct wm_p2p_request **request)
{
    struct wm_rank_crossing *k = wm_rank_crossing_new(c);

    before(k, &(struct wm_call){.operation = WM_ALLREDUCE,
                                .send = MPI_IN_PLACE,
                                .receive = n->own,
                                .receive_count = WM_RANK_NUMBERS,
                                .receive_type = MPI_INT32_T,
                                .op = MPI_MAX});
    if (c->inter != NULL) {
        if (is_first(k)) {
            receive(k, 0, n->remote, WM_RANK_NUMBERS, MPI_INT32_T);
            send(k, 0, n->own, WM_RANK_NUMBERS, MPI_INT32_T);
        }
        spread(k, n->remote, WM_RANK_NUMBERS, MPI_INT32_T);
    }
    k->then = then;
    k->with = with;
    return wm_rank_crossing_begin(k, request);
}

int wm_rank_numbers(struct wm_rank_comm *c, struct wm_rank_numbers *n)
{
    struct wm_p2p_request *request;
    int error = wm_rank_numbers_begin(c, n, NULL, NULL, &request);

    return error == MPI_SUCCESS ? wm_p2p_wait(&request, MPI_STATUS_IGNORE) : error;
}
