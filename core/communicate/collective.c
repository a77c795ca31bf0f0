/* Statements that are a collective operation: made as one, on the map's path for it. */
#include "core/communicate/collective.h"

#include "core/communicate/fly.h"
#include "core/data/allocate.h"

static const MPI_Datatype types[] = {
    [WM_INT8] = MPI_INT8_T,   [WM_INT16] = MPI_INT16_T,   [WM_INT32] = MPI_INT32_T,   [WM_INT64] = MPI_INT64_T,
    [WM_UINT8] = MPI_UINT8_T, [WM_UINT16] = MPI_UINT16_T, [WM_UINT32] = MPI_UINT32_T, [WM_UINT64] = MPI_UINT64_T,
    [WM_FLOAT] = MPI_FLOAT,   [WM_DOUBLE] = MPI_DOUBLE,   [WM_BYTES] = MPI_BYTE};

static const MPI_Op operators[] = {
    [WM_OPERATOR_STORE] = MPI_OP_NULL, [WM_OPERATOR_SUM] = MPI_SUM,      [WM_OPERATOR_PRODUCT] = MPI_PROD,
    [WM_OPERATOR_MINIMUM] = MPI_MIN,   [WM_OPERATOR_MAXIMUM] = MPI_MAX,  [WM_OPERATOR_BIT_AND] = MPI_BAND,
    [WM_OPERATOR_BIT_OR] = MPI_BOR,    [WM_OPERATOR_BIT_XOR] = MPI_BXOR, [WM_OPERATOR_ALL] = MPI_LAND,
    [WM_OPERATOR_ANY] = MPI_LOR};

static size_t block_bytes(const struct wm_deal *d)
{
    return d->collective.block * d->s->reductions[0].element_bytes;
}

static char *staging(const struct wm_deal *d, char **at, size_t blocks)
{
    if (*at == NULL)
        *at = wm_allocate(blocks * block_bytes(d) + 1, "a statement");
    return *at;
}

static char *read_blocks(struct wm_deal *d, const struct wm_bound bindings[], size_t blocks)
{
    char *to = staging(d, &d->blocks.sent, blocks);
    struct wm_error error = {0};

    for (size_t i = 0; i < blocks; i++)
        if (wm_part_pack(&d->traffic, &d->traffic.sends.parts[i], bindings, to + i * block_bytes(d), &error) < 0)
            wm_deal_abort(d, &error);
    return to;
}

static void run(const struct wm_talk *t, const struct wm_deal *d, const void *sent, void *received)
{
    const struct wm_reduction *r = &d->s->reductions[0];
    int root = d->collective.root, count = (int)(r->number == WM_BYTES ? block_bytes(d) : d->collective.block);
    MPI_Datatype type = types[r->number];
    MPI_Op op = operators[r->combiner];

    switch (d->collective.operation) {
    case WM_BCAST:
        MPI_Bcast(t->rank == root ? (void *)(uintptr_t)sent : received, count, type, root, t->comm);
        break;
    case WM_SCATTER:
        MPI_Scatter(sent, count, type, received, count, type, root, t->comm);
        break;
    case WM_GATHER:
        MPI_Gather(sent, count, type, received, count, type, root, t->comm);
        break;
    case WM_ALLGATHER:
        MPI_Allgather(sent, count, type, received, count, type, t->comm);
        break;
    case WM_ALLTOALL:
        MPI_Alltoall(sent, count, type, received, count, type, t->comm);
        break;
    case WM_REDUCE:
        MPI_Reduce(sent, received, count, type, op, root, t->comm);
        break;
    case WM_ALLREDUCE:
        MPI_Allreduce(sent, received, count, type, op, t->comm);
        break;
    case WM_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(sent, received, count, type, op, t->comm);
        break;
    default:
        WM_BUG("a statement is made as an operation that it cannot be");
    }
}

static void store_blocks(const struct wm_deal *d, const struct wm_bound bindings[], const char *from, size_t blocks)
{
    for (size_t i = 0; i < blocks; i++)
        wm_part_store(&d->traffic, &d->traffic.receives.parts[i], bindings, from + i * block_bytes(d));
}

void wm_collective_place(struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_traffic *x = &d->traffic;
    struct wm_deal_blocks *b = &d->blocks;
    bool from, to;

    b->sends = wm_collective_blocks(&d->collective, x, false);
    b->receives = wm_collective_blocks(&d->collective, x, true);
    wm_collective_in_place(&d->collective, x, bindings, d->disjoint, &from, &to);
    b->from = from ? wm_part_place(x, &x->sends.parts[0], bindings, false) : NULL;
    b->to = to ? wm_part_place(x, &x->receives.parts[0], bindings, true) : NULL;
    b->packs = !from && b->sends > 0;
}

void wm_fly_collective(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    struct wm_deal_blocks *b = &d->blocks;
    char *sent = b->packs ? read_blocks(d, bindings, b->sends) : b->from, *received = b->to;

    if (d->collective.operation == WM_BCAST && t->rank == d->collective.root)
        received = sent;
    else if (received == NULL && b->receives > 0)
        received = staging(d, &b->received, b->receives);
    run(t, d, sent, received);
    if (received != b->to)
        store_blocks(d, bindings, received, b->receives);
}

bool wm_collective_again(struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    if (!d->made || d->collective.operation == WM_OPERATION_COUNT || d->form->asks || d->blocks.packs ||
        t->turns != NULL || !wm_deal_is_bound(d, bindings) ||
        wm_deal_changed(d, bindings, d->touched != wm_touches()) != WM_UNCHANGED)
        return false;
    t->number += 2;
    wm_fly_collective(t, d, bindings);
    return true;
}
