/* Calls described: facts, plan call and binding out of the arguments. */
#include "core/call/describe.h"

#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/data/neighbours.h"
#include "core/process/process.h"

static bool root_is_wrong(const struct wm_comm *c, const struct wm_call *call)
{
    return wm_operation_rooted(call->operation) && (call->root < 0 || call->root >= c->ranks);
}

/* The operator and the datatype that it combines. */
static bool describe_operator(const struct wm_call *call, struct wm_described *d)
{
    int commutative;

    if (call->op == MPI_OP_NULL || wm_geometry_read(&d->binding.geometry, call->receive_type) != MPI_SUCCESS ||
        !wm_geometry_combines(call->receive_type, call->op) ||
        PMPI_Op_commutative(call->op, &commutative) != MPI_SUCCESS)
        return false;
    d->binding.kernel = wm_kernel_find(call->receive_type, call->op);
    d->plan_call.commutative = commutative;
    d->plan_call.unit_bytes = d->binding.geometry.size;
    return true;
}

/* reduce, allreduce, scan, exscan. */
static bool describe_whole(const struct wm_comm *c, const struct wm_call *call, struct wm_described *d)
{
    if (call->receive_count < 0 || !describe_operator(call, d))
        return false;
    if (call->send == MPI_IN_PLACE && call->operation == WM_REDUCE && call->root != c->rank)
        return false;
    d->plan_call.in_place = call->send == MPI_IN_PLACE;
    d->plan_call.count = (size_t)call->receive_count;
    d->facts.bytes = d->plan_call.count * d->plan_call.unit_bytes;
    return true;
}

static uint64_t mean_bytes(uint64_t total, int ranks)
{
    return (total + (uint64_t)ranks - 1) / (uint64_t)ranks;
}

/* A vector of the library's counts as units. NULL: one is negative. */
static size_t *copy_counts(const int *counts, int count)
{
    size_t *copy = wm_allocate(sizeof *copy * (size_t)count, "the counts of a collective");

    for (int i = 0; i < count; i++) {
        if (counts[i] < 0) {
            free(copy);
            return NULL;
        }
        copy[i] = (size_t)counts[i];
    }
    return copy;
}

/* reduce_scatter, reduce_scatter_block: a block for each rank of a vector that all bring. */
static bool describe_reduce_scatter(const struct wm_comm *c, const struct wm_call *call, struct wm_described *d)
{
    struct wm_plan_call *p = &d->plan_call;
    size_t *counts = NULL;

    if (!describe_operator(call, d) || (call->receive_counts == NULL && call->receive_count < 0))
        return false;
    if (wm_operation_takes_vectors(call->operation) && (counts = copy_counts(call->receive_counts, c->ranks)) == NULL)
        return false;
    p->data = (struct wm_blocks){
        .count = c->ranks, .each = counts == NULL ? (size_t)call->receive_count : 0, .counts = counts};
    p->in_place = call->send == MPI_IN_PLACE;
    p->count = wm_blocks_total(&p->data);
    p->receive = (struct wm_blocks){.count = 1, .each = wm_blocks_count(&p->data, c->rank)};
    d->facts.bytes = mean_bytes(p->count * p->unit_bytes, c->ranks);
    return true;
}

static const struct wm_neighbours *neighbours_of(struct wm_comm *c, const struct wm_call *call)
{
    if (wm_operation_data(call->operation) != WM_DATA_EDGES)
        return NULL;
    if (c->neighbours == NULL)
        c->neighbours = wm_neighbours_read(c->user);
    return c->neighbours;
}

void wm_describe_sides(struct wm_comm *c, const struct wm_call *call, struct wm_side *send, struct wm_side *receive)
{
    const struct wm_neighbours *n = neighbours_of(c, call);
    enum wm_flow_kind flow = wm_operation_flow(call->operation);
    int out = n != NULL ? n->destination_count : c->ranks, in = n != NULL ? n->source_count : c->ranks;

    *send = (struct wm_side){.buffer = call->send,
                             .count = wm_operation_sends_one_block(call->operation) ? 1 : out,
                             .each = call->send_count,
                             .counts = call->send_counts,
                             .displs = call->send_displs,
                             .places = call->send_places,
                             .type = call->send_type,
                             .types = call->send_types};
    *receive = (struct wm_side){.receives = true,
                                .buffer = call->receive,
                                .count = flow == WM_FLOW_DOWN ? 1 : in,
                                .each = call->receive_count,
                                .counts = call->receive_counts,
                                .displs = call->receive_displs,
                                .places = call->receive_places,
                                .type = call->receive_type,
                                .types = call->receive_types};
    if (call->operation == WM_BCAST || call->send == MPI_IN_PLACE || (flow == WM_FLOW_DOWN && c->rank != call->root))
        send->count = 0;
    if (call->receive == MPI_IN_PLACE || (flow == WM_FLOW_UP && c->rank != call->root))
        receive->count = 0;
}

/* Blocks of every rank, where all or this one know them: from the side that lists them. */
static void set_data(struct wm_plan_call *p)
{
    const struct wm_blocks *all = wm_operation_flow(p->operation) == WM_FLOW_DOWN ? &p->send : &p->receive;
    bool even = p->operation == WM_GATHER || p->operation == WM_SCATTER;
    size_t *counts;

    p->data.each = even && all->count == 0 ? (p->send.count > 0 ? p->send.each : p->receive.each) : all->each;
    p->data.count = all->count;
    if (all->counts == NULL)
        return;
    counts = wm_allocate(sizeof *counts * (size_t)all->count, "the counts of a collective");
    memcpy(counts, all->counts, sizeof *counts * (size_t)all->count);
    p->data.counts = counts;
}

static uint64_t moved_bytes(const struct wm_comm *c, const struct wm_plan_call *p)
{
    if (!wm_operation_bytes_shared(p->operation))
        return 0;
    if (p->operation == WM_ALLGATHERV)
        return mean_bytes(wm_blocks_total(&p->receive), c->ranks);
    return p->operation == WM_BCAST ? p->count : p->operation == WM_ALLTOALL ? p->receive.each : p->data.each;
}

static char *packed_side(const struct wm_blocks *blocks, bool plain)
{
    size_t bytes = plain ? 0 : wm_blocks_total(blocks);

    return bytes > 0 ? wm_allocate(bytes, "the packed data of a collective") : NULL;
}

static bool describe_moving(struct wm_comm *c, const struct wm_call *call, struct wm_described *d)
{
    struct wm_plan_call *p = &d->plan_call;
    bool send_plain, receive_plain;

    wm_describe_sides(c, call, &d->send, &d->receive);
    p->in_place = call->operation != WM_BCAST && (call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE);
    if (wm_side_blocks(&d->send, &p->send, &send_plain) < 0 ||
        wm_side_blocks(&d->receive, &p->receive, &receive_plain) < 0)
        return false;
    d->packed_send = packed_side(&p->send, send_plain);
    d->packed_receive = packed_side(&p->receive, receive_plain);
    p->unit_bytes = 1;
    if (call->operation == WM_BCAST) {
        p->count = p->receive.each;
        p->receive = (struct wm_blocks){0};
    } else if (wm_operation_data(call->operation) == WM_DATA_BLOCKS) {
        set_data(p);
    }
    if (p->operation == WM_GATHER || p->operation == WM_SCATTER)
        p->data.count = c->ranks;
    d->facts.bytes = moved_bytes(c, p);
    d->binding.send = d->packed_send != NULL ? d->packed_send : call->send;
    d->binding.receive = d->packed_receive != NULL ? d->packed_receive : call->receive;
    return true;
}

static bool describe_arguments(struct wm_comm *c, const struct wm_call *call, struct wm_described *d)
{
    if (call->operation == WM_BARRIER)
        return true;
    if (root_is_wrong(c, call))
        return false;
    switch (wm_operation_data(call->operation)) {
    case WM_DATA_WHOLE:
        return call->operation == WM_BCAST ? describe_moving(c, call, d) : describe_whole(c, call, d);
    case WM_DATA_BLOCKS:
        return wm_operation_combines(call->operation) ? describe_reduce_scatter(c, call, d)
                                                      : describe_moving(c, call, d);
    case WM_DATA_EDGES:
        d->plan_call.neighbours = neighbours_of(c, call);
        return c->neighbours != NULL && call->send != MPI_IN_PLACE && call->receive != MPI_IN_PLACE &&
               describe_moving(c, call, d);
    default:
        return describe_moving(c, call, d);
    }
}

bool wm_describe(struct wm_comm *c, const struct wm_call *call, struct wm_described *d)
{
    bool rooted = wm_operation_rooted(call->operation);

    *d = (struct wm_described){.plan_call = {.operation = call->operation,
                                             .count = 1,
                                             .root = rooted ? call->root : -1,
                                             .commutative = true,
                                             .traced = wm_process.recordings != NULL},
                               .binding = {.send = call->send, .receive = call->receive, .op = call->op, .call = call}};
    d->binding.geometry = wm_geometry_bytes();
    if (!describe_arguments(c, call, d)) {
        wm_described_release(d);
        return false;
    }
    d->binding.unit_bytes = d->plan_call.unit_bytes;
    d->facts.operation = call->operation;
    d->facts.root = d->plan_call.root;
    d->facts.commutative = d->plan_call.commutative;
    return true;
}

/* Both types have bytes here. */
static bool has_bytes(const struct wm_described *d)
{
    const struct wm_plan_call *p = &d->plan_call;

    return d->facts.bytes > 0 && (p->send.count == 0 || wm_blocks_total(&p->send) > 0) &&
           (p->receive.count == 0 || wm_blocks_total(&p->receive) > 0);
}

bool wm_described_comes_back(const struct wm_described *d)
{
    const struct wm_call *call = d->binding.call;

    if (call->operation == WM_BARRIER)
        return true;
    if (wm_operation_combines(call->operation))
        return d->binding.geometry.packed && wm_geometry_predefined(call->op);
    if (call->operation == WM_BCAST)
        return d->packed_receive == NULL;
    return wm_operation_data(call->operation) != WM_DATA_EDGES && call->send_counts == NULL && d->packed_send == NULL &&
           d->packed_receive == NULL && has_bytes(d);
}

/* What stands in the receive buffer beforehand: the root's data of a bcast, and what is in place. */
static int load_receive(const struct wm_comm *c, struct wm_described *d)
{
    const struct wm_plan_call *p = &d->plan_call;
    bool every = wm_operation_data(p->operation) == WM_DATA_PAIRS;

    if (p->operation == WM_BCAST)
        return c->rank != p->root ? MPI_SUCCESS
                                  : wm_side_pack(&d->receive, &(struct wm_blocks){.count = 1, .each = p->count}, 0, 1,
                                                 d->packed_receive);
    if (!p->in_place)
        return MPI_SUCCESS;
    return wm_side_pack(&d->receive, &p->receive, every ? 0 : c->rank, every ? c->ranks : c->rank + 1,
                        d->packed_receive);
}

int wm_described_load(const struct wm_comm *c, struct wm_described *d)
{
    int rc = MPI_SUCCESS;

    if (d->packed_send != NULL)
        rc = wm_side_pack(&d->send, &d->plan_call.send, 0, d->send.count, d->packed_send);
    return rc == MPI_SUCCESS && d->packed_receive != NULL ? load_receive(c, d) : rc;
}

/* Where there is no neighbour nothing came. */
static int unload_edges(struct wm_described *d)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; rc == MPI_SUCCESS && i < d->receive.count; i++)
        if (d->plan_call.neighbours->sources[i] >= 0)
            rc = wm_side_unpack(&d->receive, &d->plan_call.receive, i, i + 1, d->packed_receive);
    return rc;
}

int wm_described_unload(const struct wm_comm *c, struct wm_described *d)
{
    const struct wm_plan_call *p = &d->plan_call;

    if (d->packed_receive == NULL || (p->operation == WM_BCAST && c->rank == p->root))
        return MPI_SUCCESS;
    if (p->operation == WM_BCAST)
        return wm_side_unpack(&d->receive, &(struct wm_blocks){.count = 1, .each = p->count}, 0, 1, d->packed_receive);
    if (p->neighbours != NULL)
        return unload_edges(d);
    return wm_side_unpack(&d->receive, &p->receive, 0, d->receive.count, d->packed_receive);
}

void wm_described_release(struct wm_described *d)
{
    wm_plan_call_release(&d->plan_call);
    wm_side_release(&d->send);
    wm_side_release(&d->receive);
    free(d->packed_send);
    free(d->packed_receive);
    d->packed_send = d->packed_receive = NULL;
}
