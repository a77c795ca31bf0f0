/* The calls that are measured: through the doors or past them, each operation's loop. */
#include "tools/bench/calls.h"

#include <string.h>

struct wm_bench_functions {
    int (*barrier)(MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*gather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*gatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm);
    int (*scatter)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*scatterv)(const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
    int (*allgather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*allgatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);
    int (*alltoall)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*alltoallv)(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *,
                     MPI_Datatype, MPI_Comm);
    int (*alltoallw)(const void *, const int *, const int *, const MPI_Datatype *, void *, const int *, const int *,
                     const MPI_Datatype *, MPI_Comm);
    int (*reduce_scatter)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*reduce_scatter_block)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*scan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*exscan)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
};

const struct wm_bench_functions wm_bench_doors = {
    MPI_Barrier,  MPI_Bcast,     MPI_Reduce,    MPI_Allreduce,      MPI_Gather,
    MPI_Gatherv,  MPI_Scatter,   MPI_Scatterv,  MPI_Allgather,      MPI_Allgatherv,
    MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw, MPI_Reduce_scatter, MPI_Reduce_scatter_block,
    MPI_Scan,     MPI_Exscan,
};

const struct wm_bench_functions wm_bench_library = {
    PMPI_Barrier,  PMPI_Bcast,     PMPI_Reduce,    PMPI_Allreduce,      PMPI_Gather,
    PMPI_Gatherv,  PMPI_Scatter,   PMPI_Scatterv,  PMPI_Allgather,      PMPI_Allgatherv,
    PMPI_Alltoall, PMPI_Alltoallv, PMPI_Alltoallw, PMPI_Reduce_scatter, PMPI_Reduce_scatter_block,
    PMPI_Scan,     PMPI_Exscan,
};

/* Where call number `number` finds its buffers. */
static inline char *send_of(const struct wm_bench *b, unsigned number)
{
    return b->send + (number & (b->slots - 1)) * b->send_stride;
}

static inline char *receive_of(const struct wm_bench *b, unsigned number)
{
    return b->receive + (number & (b->slots - 1)) * b->receive_stride;
}

/* One loop an operation, so that nothing but the call stands in it. */

static void loop_barrier(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    (void)b;
    for (unsigned i = first; i < end; i++)
        c->functions->barrier(c->comm);
}

static void loop_bcast(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->bcast(receive_of(b, i), b->count, b->type, 0, c->comm);
}

static void loop_reduce(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->reduce(send_of(b, i), receive_of(b, i), b->count, b->type, MPI_SUM, 0, c->comm);
}

static void loop_allreduce(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->allreduce(send_of(b, i), receive_of(b, i), b->count, b->type, MPI_SUM, c->comm);
}

static void loop_gather(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->gather(send_of(b, i), b->count, b->type, receive_of(b, i), b->count, b->type, 0, c->comm);
}

static void loop_gatherv(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->gatherv(send_of(b, i), b->count, b->type, receive_of(b, i), b->counts, b->displacements, b->type,
                              0, c->comm);
}

static void loop_scatter(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->scatter(send_of(b, i), b->count, b->type, receive_of(b, i), b->count, b->type, 0, c->comm);
}

static void loop_scatterv(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->scatterv(send_of(b, i), b->counts, b->displacements, b->type, receive_of(b, i), b->count, b->type,
                               0, c->comm);
}

static void loop_allgather(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->allgather(send_of(b, i), b->count, b->type, receive_of(b, i), b->count, b->type, c->comm);
}

static void loop_allgatherv(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->allgatherv(send_of(b, i), b->count, b->type, receive_of(b, i), b->counts, b->displacements,
                                 b->type, c->comm);
}

static void loop_alltoall(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->alltoall(send_of(b, i), b->count, b->type, receive_of(b, i), b->count, b->type, c->comm);
}

static void loop_alltoallv(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->alltoallv(send_of(b, i), b->counts, b->displacements, b->type, receive_of(b, i), b->counts,
                                b->displacements, b->type, c->comm);
}

static void loop_alltoallw(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->alltoallw(send_of(b, i), b->counts, b->byte_displacements, b->types, receive_of(b, i), b->counts,
                                b->byte_displacements, b->types, c->comm);
}

static void loop_reduce_scatter(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first,
                                unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->reduce_scatter(send_of(b, i), receive_of(b, i), b->counts, b->type, MPI_SUM, c->comm);
}

static void loop_reduce_scatter_block(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first,
                                      unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->reduce_scatter_block(send_of(b, i), receive_of(b, i), b->count, b->type, MPI_SUM, c->comm);
}

static void loop_scan(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->scan(send_of(b, i), receive_of(b, i), b->count, b->type, MPI_SUM, c->comm);
}

static void loop_exscan(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        c->functions->exscan(send_of(b, i), receive_of(b, i), b->count, b->type, MPI_SUM, c->comm);
}

/* The compiler may not know that nobody reads what is copied. */
static void loop_copy(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, unsigned end)
{
    (void)c;
    for (unsigned i = first; b->rank == 0 && i < end; i++) {
        memcpy(receive_of(b, i), send_of(b, i), b->bytes);
        __asm__ volatile("" ::: "memory");
    }
}

static void (*const loops[WM_BENCH_OPERATION_COUNT])(const struct wm_bench *, const struct wm_bench_contender *,
                                                     unsigned first, unsigned end) = {
    [WM_BARRIER] = loop_barrier,
    [WM_BCAST] = loop_bcast,
    [WM_REDUCE] = loop_reduce,
    [WM_ALLREDUCE] = loop_allreduce,
    [WM_GATHER] = loop_gather,
    [WM_GATHERV] = loop_gatherv,
    [WM_SCATTER] = loop_scatter,
    [WM_SCATTERV] = loop_scatterv,
    [WM_ALLGATHER] = loop_allgather,
    [WM_ALLGATHERV] = loop_allgatherv,
    [WM_ALLTOALL] = loop_alltoall,
    [WM_ALLTOALLV] = loop_alltoallv,
    [WM_ALLTOALLW] = loop_alltoallw,
    [WM_REDUCE_SCATTER] = loop_reduce_scatter,
    [WM_REDUCE_SCATTER_BLOCK] = loop_reduce_scatter_block,
    [WM_SCAN] = loop_scan,
    [WM_EXSCAN] = loop_exscan,
    [WM_BENCH_COPY] = loop_copy,
};

void wm_bench_run(const struct wm_bench *b, const struct wm_bench_contender *c, unsigned first, int calls)
{
    loops[b->operation](b, c, first, first + (unsigned)calls);
}
