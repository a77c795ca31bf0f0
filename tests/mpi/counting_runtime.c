/* A runtime for testing the doors: it counts what passes, and carries every call out by MPI. */
#include "tests/mpi/counting_runtime.h"

#include <stdio.h>
#include "core/runtime.h"

struct wm_comm {
    int unused;
};

/* One row of counters an operation, and one for communicators made and going. */
enum { COMMUNICATORS = WM_OPERATION_COUNT, ROWS };
enum { PASSED, IN_PLACE, MADE = PASSED, GOING = IN_PLACE, COLUMNS = 2 };

static long counts[ROWS][COLUMNS];
static struct wm_comm any_comm;
static bool awake;

/* Returns the count before. */
static long count(int row, int column)
{
    return __atomic_fetch_add(&counts[row][column], 1, __ATOMIC_RELAXED);
}

bool counting_runtime_awake(void)
{
    return awake;
}

long counting_runtime_passed(enum wm_operation operation)
{
    return counts[operation][PASSED];
}

long counting_runtime_in_place(enum wm_operation operation)
{
    return counts[operation][IN_PLACE];
}

long counting_runtime_made(void)
{
    return counts[COMMUNICATORS][MADE];
}

long counting_runtime_going(void)
{
    return counts[COMMUNICATORS][GOING];
}

int wm_runtime_start(void)
{
    awake = true;
    return 0;
}

void wm_runtime_stop(void)
{
    long sums[ROWS][COLUMNS];
    int rank;

    awake = false;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(counts, sums, ROWS * COLUMNS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    for (int i = 0; i < WM_OPERATION_COUNT; i++)
        printf("door %s %ld in place %ld\n", wm_operation_name((enum wm_operation)i), sums[i][PASSED],
               sums[i][IN_PLACE]);
    printf("door communicators made %ld going %ld\n", sums[COMMUNICATORS][MADE], sums[COMMUNICATORS][GOING]);
    fflush(stdout);
}

void wm_comm_made(MPI_Comm comm)
{
    (void)comm;
    count(COMMUNICATORS, MADE);
}

void wm_comm_going(MPI_Comm comm)
{
    (void)comm;
    count(COMMUNICATORS, GOING);
}

struct wm_comm *wm_comm_enter(MPI_Comm comm, enum wm_operation operation)
{
    (void)comm;
    (void)operation;
    return awake ? &any_comm : NULL;
}

/* The call by MPI, from the fields as core/call.h describes them: what a door did not fill right shows in the
 * result. */
static int run_from_fields(const struct wm_call *c)
{
    switch (c->operation) {
    case WM_BARRIER:
        return PMPI_Barrier(c->comm);
    case WM_BCAST:
        return PMPI_Bcast(c->receive, c->receive_count, c->receive_type, c->root, c->comm);
    case WM_REDUCE:
        return PMPI_Reduce(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->root, c->comm);
    case WM_ALLREDUCE:
        return PMPI_Allreduce(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_GATHER:
        return PMPI_Gather(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type, c->root,
                           c->comm);
    case WM_GATHERV:
        return PMPI_Gatherv(c->send, c->send_count, c->send_type, c->receive, c->receive_counts, c->receive_displs,
                            c->receive_type, c->root, c->comm);
    case WM_SCATTER:
        return PMPI_Scatter(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                            c->root, c->comm);
    case WM_SCATTERV:
        return PMPI_Scatterv(c->send, c->send_counts, c->send_displs, c->send_type, c->receive, c->receive_count,
                             c->receive_type, c->root, c->comm);
    case WM_ALLGATHER:
        return PMPI_Allgather(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                              c->comm);
    case WM_ALLGATHERV:
        return PMPI_Allgatherv(c->send, c->send_count, c->send_type, c->receive, c->receive_counts, c->receive_displs,
                               c->receive_type, c->comm);
    case WM_ALLTOALL:
        return PMPI_Alltoall(c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
                             c->comm);
    case WM_ALLTOALLV:
        return PMPI_Alltoallv(c->send, c->send_counts, c->send_displs, c->send_type, c->receive, c->receive_counts,
                              c->receive_displs, c->receive_type, c->comm);
    case WM_ALLTOALLW:
        return PMPI_Alltoallw(c->send, c->send_counts, c->send_displs, c->send_types, c->receive, c->receive_counts,
                              c->receive_displs, c->receive_types, c->comm);
    case WM_REDUCE_SCATTER:
        return PMPI_Reduce_scatter(c->send, c->receive, c->receive_counts, c->receive_type, c->op, c->comm);
    case WM_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_SCAN:
        return PMPI_Scan(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    case WM_EXSCAN:
        return PMPI_Exscan(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->comm);
    default:
        return MPI_ERR_INTERN;
    }
}

int wm_call_run(struct wm_comm *comm, const struct wm_call *call)
{
    const bool in_place = call->send == MPI_IN_PLACE || call->receive == MPI_IN_PLACE;
    const long passed = count(call->operation, PASSED);

    (void)comm;
    if (in_place)
        count(call->operation, IN_PLACE);
    MPI_Barrier(MPI_COMM_SELF);
    return passed % 2 == 0 ? run_from_fields(call) : call->native(call);
}
