/* The calls that are measured: through the doors or past them, each operation's loop. */
#include "tools/bench/calls.h"

#include <string.h>

/* Where call number `number` finds its buffers. */
static inline char *send_of(const struct wm_bench *b, unsigned number)
{
    return b->send + (number & (b->slots - 1)) * b->send_stride;
}

static inline char *receive_of(const struct wm_bench *b, unsigned number)
{
    return b->receive + (number & (b->slots - 1)) * b->receive_stride;
}

/* The functions of each operation that is measured, and the arguments of call `i`. */
/* clang-format off */
#define WM_BENCH_CALLS(X) \
    X(BARRIER,              MPI_Barrier,              PMPI_Barrier,              comm) \
    X(BCAST,                MPI_Bcast,                PMPI_Bcast,                receive_of(b, i), count, type, b->root, comm) \
    X(REDUCE,               MPI_Reduce,               PMPI_Reduce,               send_of(b, i), receive_of(b, i), count, type, MPI_SUM, b->root, comm) \
    X(ALLREDUCE,            MPI_Allreduce,            PMPI_Allreduce,            send_of(b, i), receive_of(b, i), count, type, MPI_SUM, comm) \
    X(GATHER,               MPI_Gather,               PMPI_Gather,               send_of(b, i), count, type, receive_of(b, i), count, type, b->root, comm) \
    X(GATHERV,              MPI_Gatherv,              PMPI_Gatherv,              send_of(b, i), count, type, receive_of(b, i), counts, displacements, type, b->root, comm) \
    X(SCATTER,              MPI_Scatter,              PMPI_Scatter,              send_of(b, i), count, type, receive_of(b, i), count, type, b->root, comm) \
    X(SCATTERV,             MPI_Scatterv,             PMPI_Scatterv,             send_of(b, i), counts, displacements, type, receive_of(b, i), count, type, b->root, comm) \
    X(ALLGATHER,            MPI_Allgather,            PMPI_Allgather,            send_of(b, i), count, type, receive_of(b, i), count, type, comm) \
    X(ALLGATHERV,           MPI_Allgatherv,           PMPI_Allgatherv,           send_of(b, i), count, type, receive_of(b, i), counts, displacements, type, comm) \
    X(ALLTOALL,             MPI_Alltoall,             PMPI_Alltoall,             send_of(b, i), count, type, receive_of(b, i), count, type, comm) \
    X(ALLTOALLV,            MPI_Alltoallv,            PMPI_Alltoallv,            send_of(b, i), counts, displacements, type, receive_of(b, i), counts, displacements, type, comm) \
    X(ALLTOALLW,            MPI_Alltoallw,            PMPI_Alltoallw,            send_of(b, i), counts, byte_displacements, types, receive_of(b, i), counts, byte_displacements, types, comm) \
    X(REDUCE_SCATTER,       MPI_Reduce_scatter,       PMPI_Reduce_scatter,       send_of(b, i), receive_of(b, i), counts, type, MPI_SUM, comm) \
    X(REDUCE_SCATTER_BLOCK, MPI_Reduce_scatter_block, PMPI_Reduce_scatter_block, send_of(b, i), receive_of(b, i), count, type, MPI_SUM, comm) \
    X(SCAN,                 MPI_Scan,                 PMPI_Scan,                 send_of(b, i), receive_of(b, i), count, type, MPI_SUM, comm) \
    X(EXSCAN,               MPI_Exscan,               PMPI_Exscan,               send_of(b, i), receive_of(b, i), count, type, MPI_SUM, comm)
/* clang-format on */

#define X(id, door, library, ...) +1
_Static_assert(WM_BENCH_CALLS(X) == WM_BENCH_COPY, "WM_BENCH_CALLS has a row for each operation that is measured");
#undef X

/* The compiler may not know that nobody reads what is copied. */
static void run_copy(const struct wm_bench *b, unsigned end)
{
    for (unsigned i = 0; b->rank == 0 && i < end; i++) {
        memcpy(receive_of(b, i), send_of(b, i), b->bytes);
        __asm__ volatile("" ::: "memory");
    }
}

/* Nothing but the call stands in its loop. */
void wm_bench_run(const struct wm_bench *b, const struct wm_bench_contender *c, int calls)
{
    const int *counts = b->counts, *displacements = b->displacements, *byte_displacements = b->byte_displacements;
    const MPI_Datatype *types = b->types;
    unsigned end = (unsigned)calls;
    MPI_Datatype type = b->type;
    MPI_Comm comm = c->comm;
    int count = b->count;

    switch (b->operation) {
#define X(id, door, library, ...)                                                                                      \
    case WM_##id:                                                                                                      \
        if (c->native)                                                                                                 \
            for (unsigned i = 0; i < end; i++)                                                                         \
                library(__VA_ARGS__);                                                                                  \
        else                                                                                                           \
            for (unsigned i = 0; i < end; i++)                                                                         \
                door(__VA_ARGS__);                                                                                     \
        break;
        WM_BENCH_CALLS(X)
#undef X
    case WM_BENCH_COPY:
        run_copy(b, end);
        break;
    }
}
