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

/* Room for blocks, for one at least. */
static char *staging(const struct wm_deal *d, char **at, size_t blocks)
{
    if (*at == NULL)
        *at = wm_allocate_zeroed((blocks > 0 ? blocks : 1) * block_bytes(d), "a statement");
    return *at;
}

/* What stands in the storage of the block goes to where it is received, or, if it is stored, comes from there. */
static void copy_storage(const struct wm_deal *d, const struct wm_bound bindings[], bool stored)
{
    const struct wm_section *section = &d->traffic.receives.parts[0].section;

    wm_section_copy(section, bindings[section->binding].at, d->blocks.received, d->s->reductions[0].element_bytes,
                    stored);
}

static void read_blocks(const struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_traffic *x = &d->traffic;
    struct wm_error error = {0};

    if (d->blocks.joins)
        copy_storage(d, bindings, false);

    for (size_t i = 0; i < d->blocks.sends; i++)
        if (wm_part_pack(x, &x->sends.parts[i], bindings, d->blocks.sent + i * block_bytes(d), &error) < 0)
            wm_deal_abort(d, &error);
}

/* By its door. Not inlined, as all that a call that comes again does not need: it would save registers for it. */
static __attribute__((noinline)) void run(const struct wm_call *c)
{
    int sends = c->send_count, count = c->receive_count;
    MPI_Datatype type = c->receive_type;

    switch (c->operation) {
    case WM_BCAST:
        MPI_Bcast(c->receive, count, type, c->root, c->comm);
        break;
    case WM_SCATTER:
        MPI_Scatter(c->send, sends, c->send_type, c->receive, count, type, c->root, c->comm);
        break;
    case WM_GATHER:
        MPI_Gather(c->send, sends, c->send_type, c->receive, count, type, c->root, c->comm);
        break;
    case WM_ALLGATHER:
        MPI_Allgather(c->send, sends, c->send_type, c->receive, count, type, c->comm);
        break;
    case WM_ALLTOALL:
        MPI_Alltoall(c->send, sends, c->send_type, c->receive, count, type, c->comm);
        break;
    case WM_REDUCE:
        MPI_Reduce(c->send, c->receive, count, type, c->op, c->root, c->comm);
        break;
    case WM_ALLREDUCE:
        MPI_Allreduce(c->send, c->receive, count, type, c->op, c->comm);
        break;
    case WM_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(c->send, c->receive, count, type, c->op, c->comm);
        break;
    case WM_SCAN:
        MPI_Scan(c->send, c->receive, count, type, c->op, c->comm);
        break;
    case WM_EXSCAN:
        MPI_Exscan(c->send, c->receive, count, type, c->op, c->comm);
        break;
    default:
        WM_BUG("a statement is made as an operation that it cannot be");
    }
}

static __attribute__((noinline)) void store_blocks(const struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_traffic *x = &d->traffic;
    const char *from = d->blocks.call.receive;

    if (d->blocks.joins) {
        copy_storage(d, bindings, true);
        return;
    }
    for (size_t i = 0; i < d->blocks.receives; i++)
        wm_part_store(x, &x->receives.parts[i], bindings, from + i * block_bytes(d));
}

/* What combines a block with what stands in one piece does what storing it does. */
static void find_kernel(struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_reduction *r = &d->s->reductions[0];
    struct wm_deal_blocks *b = &d->blocks;
    const struct wm_section *section;

    b->kernel = NULL;
    if (r->combiner == WM_OPERATOR_STORE || b->receives == 0 || b->joins)
        return;
    section = &d->traffic.receives.parts[0].section;
    if (wm_section_runs(section).outer > 0)
        return;
    b->kernel = wm_kernel_find(types[r->number], operators[r->combiner]);
    b->combined = (char *)bindings[section->binding].at + section->offset * r->element_bytes;
}

static void describe(const struct wm_talk *t, struct wm_deal *d, char *from, char *to)
{
    const struct wm_reduction *r = &d->s->reductions[0];
    int count = (int)(r->number == WM_BYTES ? block_bytes(d) : d->collective.block);
    bool sends = r->combiner == WM_OPERATOR_STORE && d->collective.operation != WM_BCAST;

    d->blocks.call = (struct wm_call){.comm = d->collective.team ? d->team : t->comm,
                                      .send = d->collective.operation != WM_BCAST ? from : NULL,
                                      .receive = to,
                                      .send_type = sends ? types[r->number] : NULL,
                                      .receive_type = types[r->number],
                                      .op = r->combiner != WM_OPERATOR_STORE ? operators[r->combiner] : NULL,
                                      .operation = d->collective.operation,
                                      .root = d->collective.root,
                                      .send_count = sends ? count : 0,
                                      .receive_count = count};
}

/* The one rank of a team that has no block of its own. */
static bool is_incomplete(const struct wm_deal *d)
{
    const struct wm_deal_blocks *b = &d->blocks;
    enum wm_operation operation = d->collective.operation;

    return (operation == WM_SCATTER && b->sends > 0 && b->receives == 0) ||
           ((operation == WM_GATHER || operation == WM_REDUCE) && b->receives > 0 && b->sends == 0);
}

void wm_collective_place(const struct wm_talk *t, struct wm_deal *d, const struct wm_bound bindings[])
{
    const struct wm_traffic *x = &d->traffic;
    struct wm_deal_blocks *b = &d->blocks;
    char *from, *to, *place;
    bool in_from, in_to, incomplete, exscan = d->collective.operation == WM_EXSCAN;

    b->sends = wm_collective_blocks(&d->collective, x, false);
    b->receives = wm_collective_blocks(&d->collective, x, true);
    incomplete = is_incomplete(d);
    b->joins = incomplete && d->collective.operation == WM_REDUCE;
    wm_collective_in_place(&d->collective, x, bindings, d->disjoint, &in_from, &in_to);
    b->packs = (!in_from && b->sends > 0) || b->joins;
    from = in_from ? wm_part_place(x, &x->sends.parts[0], bindings, false) : NULL;
    to = place = in_to ? wm_part_place(x, &x->receives.parts[0], bindings, true) : NULL;
    /* The first and the last rank of a scan of those before have a block that goes to nobody, or comes of nobody. */
    if ((!in_from && b->sends > 0) || (exscan && b->sends == 0))
        from = staging(d, &b->sent, b->sends);
    if (d->collective.operation == WM_BCAST && b->sends > 0)
        to = from;
    else if (to == NULL && (exscan || b->receives > 0))
        to = staging(d, &b->received, b->receives);
    b->stores = to != place;
    if (incomplete && b->sends > 0)
        to = MPI_IN_PLACE;
    else if (incomplete)
        from = MPI_IN_PLACE;
    describe(t, d, from, to);
    find_kernel(d, bindings);
    b->repeat = (struct wm_repeat){0};
}

void wm_fly_collective(struct wm_deal *d, const struct wm_bound bindings[])
{
    struct wm_deal_blocks *b = &d->blocks;

    if (b->packs)
        read_blocks(d, bindings);
    if (!wm_call_repeat(&b->call, &b->repeat))
        run(&b->call);
    if (b->kernel != NULL)
        b->kernel(b->combined, b->call.receive, b->combined, d->collective.block);
    else if (b->stores)
        store_blocks(d, bindings);
}
