/* The C doors: each collective and each maker of communicators is seen by the runtime, once, and does its
 * work. */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "core/pmpi/door.h"
#include "tests/check.h"
#include "tests/mpi/counting_runtime.h"

enum { RANKS_MAX = 16, ROOT = 1 };
/* Forms of call that the MPI library has. */
static const int forms = WM_PERSISTENT_LIBRARY ? COUNTING_FORMS : COUNTING_INIT;

static int rank, ranks, left;
static MPI_Comm ring; /* of world: each rank receives from its left and sends to its right */
static int own[RANKS_MAX], got[RANKS_MAX], ones[RANKS_MAX], places[RANKS_MAX], byte_places[RANKS_MAX];
static MPI_Aint long_places[RANKS_MAX];
static MPI_Datatype types[RANKS_MAX];
static MPI_Info info; /* of persistent calls */

/* One collective, in the form that is asked for: `send` is `own` or MPI_IN_PLACE, `receive` `got` or MPI_IN_PLACE. */
#define ARGUMENTS enum counting_form form, const void *send, void *receive, MPI_Request *request
struct collective {
    enum wm_operation operation;
    int (*call)(ARGUMENTS);
    enum { NEVER_IN_PLACE, AT_ROOT, AT_ROOT_RECEIVING, EVERYWHERE } in_place;
};

#if WM_PERSISTENT_LIBRARY
#define CALL(run, begin, init, ...)                                                                                    \
    (form == COUNTING_RUN     ? run(__VA_ARGS__)                                                                       \
     : form == COUNTING_BEGIN ? begin(__VA_ARGS__, request)                                                            \
                              : init(__VA_ARGS__, info, request))
#else
#define CALL(run, begin, init, ...) (form == COUNTING_RUN ? run(__VA_ARGS__) : begin(__VA_ARGS__, request))
#endif

static int call_barrier(ARGUMENTS)
{
    (void)send, (void)receive;
    return CALL(MPI_Barrier, MPI_Ibarrier, MPIX_Barrier_init, MPI_COMM_WORLD);
}

static int call_bcast(ARGUMENTS)
{
    (void)send;
    return CALL(MPI_Bcast, MPI_Ibcast, MPIX_Bcast_init, receive, ranks, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static int call_reduce(ARGUMENTS)
{
    return CALL(MPI_Reduce, MPI_Ireduce, MPIX_Reduce_init, send, receive, ranks, MPI_INT, MPI_SUM, ROOT,
                MPI_COMM_WORLD);
}

static int call_allreduce(ARGUMENTS)
{
    return CALL(MPI_Allreduce, MPI_Iallreduce, MPIX_Allreduce_init, send, receive, ranks, MPI_INT, MPI_SUM,
                MPI_COMM_WORLD);
}

static int call_gather(ARGUMENTS)
{
    return CALL(MPI_Gather, MPI_Igather, MPIX_Gather_init, send, 1, MPI_INT, receive, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static int call_gatherv(ARGUMENTS)
{
    return CALL(MPI_Gatherv, MPI_Igatherv, MPIX_Gatherv_init, send, 1, MPI_INT, receive, ones, places, MPI_INT, ROOT,
                MPI_COMM_WORLD);
}

static int call_scatter(ARGUMENTS)
{
    return CALL(MPI_Scatter, MPI_Iscatter, MPIX_Scatter_init, send, 1, MPI_INT, receive, 1, MPI_INT, ROOT,
                MPI_COMM_WORLD);
}

static int call_scatterv(ARGUMENTS)
{
    return CALL(MPI_Scatterv, MPI_Iscatterv, MPIX_Scatterv_init, send, ones, places, MPI_INT, receive, 1, MPI_INT, ROOT,
                MPI_COMM_WORLD);
}

static int call_allgather(ARGUMENTS)
{
    return CALL(MPI_Allgather, MPI_Iallgather, MPIX_Allgather_init, send, 1, MPI_INT, receive, 1, MPI_INT,
                MPI_COMM_WORLD);
}

static int call_allgatherv(ARGUMENTS)
{
    return CALL(MPI_Allgatherv, MPI_Iallgatherv, MPIX_Allgatherv_init, send, 1, MPI_INT, receive, ones, places, MPI_INT,
                MPI_COMM_WORLD);
}

static int call_alltoall(ARGUMENTS)
{
    return CALL(MPI_Alltoall, MPI_Ialltoall, MPIX_Alltoall_init, send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
}

static int call_alltoallv(ARGUMENTS)
{
    return CALL(MPI_Alltoallv, MPI_Ialltoallv, MPIX_Alltoallv_init, send, ones, places, MPI_INT, receive, ones, places,
                MPI_INT, MPI_COMM_WORLD);
}

static int call_alltoallw(ARGUMENTS)
{
    return CALL(MPI_Alltoallw, MPI_Ialltoallw, MPIX_Alltoallw_init, send, ones, byte_places, types, receive, ones,
                byte_places, types, MPI_COMM_WORLD);
}

static int call_reduce_scatter(ARGUMENTS)
{
    return CALL(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPIX_Reduce_scatter_init, send, receive, ones, MPI_INT,
                MPI_SUM, MPI_COMM_WORLD);
}

static int call_reduce_scatter_block(ARGUMENTS)
{
    return CALL(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPIX_Reduce_scatter_block_init, send, receive, 1,
                MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int call_scan(ARGUMENTS)
{
    return CALL(MPI_Scan, MPI_Iscan, MPIX_Scan_init, send, receive, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int call_exscan(ARGUMENTS)
{
    return CALL(MPI_Exscan, MPI_Iexscan, MPIX_Exscan_init, send, receive, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int call_neighbor_allgather(ARGUMENTS)
{
    return CALL(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPIX_Neighbor_allgather_init, send, 1, MPI_INT,
                receive, 1, MPI_INT, ring);
}

static int call_neighbor_allgatherv(ARGUMENTS)
{
    return CALL(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPIX_Neighbor_allgatherv_init, send, 1, MPI_INT,
                receive, ones, places + 1, MPI_INT, ring);
}

static int call_neighbor_alltoall(ARGUMENTS)
{
    return CALL(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPIX_Neighbor_alltoall_init, send, 1, MPI_INT, receive,
                1, MPI_INT, ring);
}

static int call_neighbor_alltoallv(ARGUMENTS)
{
    return CALL(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPIX_Neighbor_alltoallv_init, send, ones, places + 1,
                MPI_INT, receive, ones, places + 1, MPI_INT, ring);
}

static int call_neighbor_alltoallw(ARGUMENTS)
{
    return CALL(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPIX_Neighbor_alltoallw_init, send, ones,
                long_places + 1, types, receive, ones, long_places + 1, types, ring);
}

static const struct collective collectives[] = {
    {WM_BARRIER, call_barrier, NEVER_IN_PLACE},
    {WM_BCAST, call_bcast, NEVER_IN_PLACE},
    {WM_REDUCE, call_reduce, AT_ROOT},
    {WM_ALLREDUCE, call_allreduce, EVERYWHERE},
    {WM_GATHER, call_gather, AT_ROOT},
    {WM_GATHERV, call_gatherv, AT_ROOT},
    {WM_SCATTER, call_scatter, AT_ROOT_RECEIVING},
    {WM_SCATTERV, call_scatterv, AT_ROOT_RECEIVING},
    {WM_ALLGATHER, call_allgather, EVERYWHERE},
    {WM_ALLGATHERV, call_allgatherv, EVERYWHERE},
    {WM_ALLTOALL, call_alltoall, EVERYWHERE},
    {WM_ALLTOALLV, call_alltoallv, EVERYWHERE},
    {WM_ALLTOALLW, call_alltoallw, EVERYWHERE},
    {WM_REDUCE_SCATTER, call_reduce_scatter, EVERYWHERE},
    {WM_REDUCE_SCATTER_BLOCK, call_reduce_scatter_block, EVERYWHERE},
    {WM_SCAN, call_scan, EVERYWHERE},
    {WM_EXSCAN, call_exscan, EVERYWHERE},
    {WM_NEIGHBOR_ALLGATHER, call_neighbor_allgather, NEVER_IN_PLACE},
    {WM_NEIGHBOR_ALLGATHERV, call_neighbor_allgatherv, NEVER_IN_PLACE},
    {WM_NEIGHBOR_ALLTOALL, call_neighbor_alltoall, NEVER_IN_PLACE},
    {WM_NEIGHBOR_ALLTOALLV, call_neighbor_alltoallv, NEVER_IN_PLACE},
    {WM_NEIGHBOR_ALLTOALLW, call_neighbor_alltoallw, NEVER_IN_PLACE},
};

enum { COLLECTIVE_COUNT = sizeof collectives / sizeof collectives[0] };

/* What element `i` is after the collective, own[i] being 100 rank + i; false when it is not this rank's to
 * say. */
static bool right_value(enum wm_operation operation, int i, int *value)
{
    const int lower_sum = 100 * (rank * (rank - 1) / 2), sum = 100 * (ranks * (ranks - 1) / 2);

    switch (operation) {
    case WM_BARRIER:
        return false;
    case WM_BCAST:
        *value = 100 * ROOT + i;
        return true;
    case WM_REDUCE:
        *value = sum + ranks * i;
        return rank == ROOT;
    case WM_ALLREDUCE:
        *value = sum + ranks * i;
        return true;
    case WM_GATHER:
    case WM_GATHERV:
        *value = 100 * i;
        return rank == ROOT;
    case WM_SCATTER:
    case WM_SCATTERV:
        *value = 100 * ROOT + rank;
        return i == 0;
    case WM_ALLGATHER:
    case WM_ALLGATHERV:
        *value = 100 * i;
        return true;
    case WM_ALLTOALL:
    case WM_ALLTOALLV:
    case WM_ALLTOALLW:
        *value = 100 * i + rank;
        return true;
    case WM_REDUCE_SCATTER:
    case WM_REDUCE_SCATTER_BLOCK:
        *value = sum + ranks * rank;
        return i == 0;
    case WM_SCAN:
        *value = lower_sum + 100 * rank + (rank + 1) * i;
        return true;
    case WM_EXSCAN:
        *value = lower_sum + rank * i;
        return rank > 0;
    case WM_NEIGHBOR_ALLGATHER:
    case WM_NEIGHBOR_ALLTOALL:
        *value = 100 * left;
        return i == 0;
    case WM_NEIGHBOR_ALLGATHERV:
        *value = 100 * left;
        return i == 1;
    case WM_NEIGHBOR_ALLTOALLV:
    case WM_NEIGHBOR_ALLTOALLW:
        *value = 100 * left + 1;
        return i == 1;
    default:
        return false;
    }
}

static void check_values(enum wm_operation operation, const int *values)
{
    int right;

    for (int i = 0; i < ranks; i++)
        if (right_value(operation, i, &right) && values[i] != right) {
            fprintf(stderr, "rank %d: %s: element %d is %d, not %d\n", rank, wm_operation_name(operation), i, values[i],
                    right);
            CU_FAIL("wrong result");
            return;
        }
}

static void fill(void)
{
    for (int i = 0; i < ranks; i++) {
        own[i] = 100 * rank + i;
        got[i] = -1;
    }
}

/* A gather's own share stands at its place in the receive buffer; an alltoall's and a reduction's is the
 * whole of it. */
static void fill_in_place(enum wm_operation operation)
{
    fill();
    memcpy(got, own, sizeof got);
    if (operation == WM_ALLGATHER || operation == WM_ALLGATHERV || operation == WM_GATHER || operation == WM_GATHERV)
        got[rank] = own[0];
}

static void fill_vectors(void)
{
    for (int i = 0; i < RANKS_MAX; i++) {
        ones[i] = 1;
        places[i] = i;
        byte_places[i] = i * (int)sizeof(int);
        long_places[i] = byte_places[i];
        types[i] = MPI_INT;
    }
}

static void init__wakes_the_runtime(void)
{
    const int weight = 1;
    int provided, right;

    CU_ASSERT_FALSE(counting_runtime_awake());
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CU_ASSERT_EQUAL(provided, MPI_THREAD_MULTIPLE);
    CU_ASSERT_TRUE(counting_runtime_awake());
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CU_ASSERT_FATAL(ranks >= 2 && ranks <= RANKS_MAX);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    PMPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &ring);
    MPI_Info_create(&info);
    fill_vectors();
}

static void every_collective__is_in_the_table(void)
{
    CU_ASSERT_EQUAL(COLLECTIVE_COUNT, WM_COLLECTIVE_COUNT);
    for (int i = 0; i < COLLECTIVE_COUNT; i++)
        CU_ASSERT_EQUAL(collectives[i].operation, i);
}

/* bcast has one buffer. */
static void fill_for(const struct collective *c)
{
    if (c->operation == WM_BCAST)
        fill_in_place(c->operation);
    else
        fill();
}

static void every_collective__passes_once(void)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        const struct collective *c = &collectives[i];
        const long passed = counting_runtime_passed(c->operation, COUNTING_RUN);
        const long in_place = counting_runtime_in_place(c->operation, COUNTING_RUN);

        fill_for(c);
        CU_ASSERT_EQUAL(c->call(COUNTING_RUN, own, got, NULL), MPI_SUCCESS);
        check_values(c->operation, got);
        CU_ASSERT_EQUAL(counting_runtime_passed(c->operation, COUNTING_RUN), passed + 1);
        CU_ASSERT_EQUAL(counting_runtime_in_place(c->operation, COUNTING_RUN), in_place);
    }
}

static void every_nonblocking_collective__passes_once(void)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        const struct collective *c = &collectives[i];
        const long run = counting_runtime_passed(c->operation, COUNTING_RUN);
        const long begun = counting_runtime_passed(c->operation, COUNTING_BEGIN);
        MPI_Request request = MPI_REQUEST_NULL;

        fill_for(c);
        CU_ASSERT_EQUAL(c->call(COUNTING_BEGIN, own, got, &request), MPI_SUCCESS);
        CU_ASSERT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CU_ASSERT_TRUE(request == MPI_REQUEST_NULL);
        check_values(c->operation, got);
        CU_ASSERT_EQUAL(counting_runtime_passed(c->operation, COUNTING_BEGIN), begun + 1);
        CU_ASSERT_EQUAL(counting_runtime_passed(c->operation, COUNTING_RUN), run);
    }
}

/* Made once, started twice. */
static void every_persistent_collective__passes_once(void)
{
    for (int i = 0; forms > (int)COUNTING_INIT && i < COLLECTIVE_COUNT; i++) {
        const struct collective *c = &collectives[i];
        const long made = counting_runtime_passed(c->operation, COUNTING_INIT);
        const long started = counting_runtime_events(COUNTING_STARTED), freed = counting_runtime_events(COUNTING_FREED);
        const long informed = counting_runtime_events(COUNTING_INFORMED);
        MPI_Request request = MPI_REQUEST_NULL;

        CU_ASSERT_EQUAL(c->call(COUNTING_INIT, own, got, &request), MPI_SUCCESS);
        CU_ASSERT_EQUAL(counting_runtime_passed(c->operation, COUNTING_INIT), made + 1);
        CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_INFORMED), informed + 1);
        for (int start = 1; start <= 2; start++) {
            fill_for(c);
            CU_ASSERT_EQUAL(MPI_Start(&request), MPI_SUCCESS);
            CU_ASSERT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            check_values(c->operation, got);
            CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_STARTED), started + start);
        }
        CU_ASSERT_EQUAL(MPI_Request_free(&request), MPI_SUCCESS);
        CU_ASSERT_TRUE(request == MPI_REQUEST_NULL);
        CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_FREED), freed + 1);
        CU_ASSERT_EQUAL(counting_runtime_passed(c->operation, COUNTING_INIT), made + 1);
    }
}

/* Make the request's result known: nothing is left to do for a blocking call. */
static void finish(enum counting_form form, MPI_Request *request)
{
    if (form == COUNTING_INIT)
        CU_ASSERT_EQUAL(MPI_Start(request), MPI_SUCCESS);
    if (form != COUNTING_RUN)
        CU_ASSERT_EQUAL(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (form == COUNTING_INIT)
        CU_ASSERT_EQUAL(MPI_Request_free(request), MPI_SUCCESS);
}

static void pass_in_place(const struct collective *c, enum counting_form form)
{
    const bool here = c->in_place == EVERYWHERE || rank == ROOT, receiving = c->in_place == AT_ROOT_RECEIVING;
    const long in_place = counting_runtime_in_place(c->operation, form);
    MPI_Request request = MPI_REQUEST_NULL;

    fill_in_place(c->operation);
    c->call(form, here && !receiving ? MPI_IN_PLACE : own, here && receiving ? MPI_IN_PLACE : got, &request);
    finish(form, &request);
    if (!receiving || !here)
        check_values(c->operation, got);
    CU_ASSERT_EQUAL(counting_runtime_in_place(c->operation, form), in_place + here);
}

static void every_collective__passes_in_place(void)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++)
        for (int form = 0; form < forms; form++)
            if (collectives[i].in_place != NEVER_IN_PLACE)
                pass_in_place(&collectives[i], (enum counting_form)form);
}

static void requests__are_waited_for_beside_messages(void)
{
    enum { SUM, MESSAGE, MAXIMUM, ANSWER, BARRIER, REQUESTS };
    MPI_Request requests[REQUESTS];
    int sum = 0, maximum = -1, from_left = -1, done = 0;

    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[SUM]);
    MPI_Irecv(&from_left, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[ANSWER]);
    MPI_Iallreduce(&rank, &maximum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[MAXIMUM]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[BARRIER]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &requests[MESSAGE]);
    CU_ASSERT_EQUAL(MPI_Waitall(REQUESTS - 1, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    while (!done)
        CU_ASSERT_EQUAL_FATAL(MPI_Test(&requests[BARRIER], &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CU_ASSERT_EQUAL(sum, ranks * (ranks - 1) / 2);
    CU_ASSERT_EQUAL(maximum, ranks - 1);
    CU_ASSERT_EQUAL(from_left, left);
}

#if WM_PERSISTENT_LIBRARY
static void startall__starts_the_runtimes_and_others(void)
{
    enum { SEND, SUM, RECEIVE, MAXIMUM, MINIMUM, REQUESTS };
    MPI_Request requests[REQUESTS];
    const long started = counting_runtime_events(COUNTING_STARTED);
    int sum, maximum, minimum, from_left;

    MPI_Send_init(&rank, 1, MPI_INT, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &requests[SEND]);
    MPIX_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[SUM]);
    MPI_Recv_init(&from_left, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[RECEIVE]);
    MPIX_Allreduce_init(&rank, &maximum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[MAXIMUM]);
    MPIX_Allreduce_init(&rank, &minimum, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[MINIMUM]);
    for (int count = 1; count <= REQUESTS; count += count == 1 ? 2 : 1) {
        sum = maximum = minimum = from_left = -1;
        CU_ASSERT_EQUAL(MPI_Startall(count, requests), MPI_SUCCESS);
        CU_ASSERT_EQUAL(MPI_Startall(REQUESTS - count, requests + count), MPI_SUCCESS);
        CU_ASSERT_EQUAL(MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CU_ASSERT_EQUAL(sum, ranks * (ranks - 1) / 2);
        CU_ASSERT_EQUAL(maximum, ranks - 1);
        CU_ASSERT_EQUAL(minimum, 0);
        CU_ASSERT_EQUAL(from_left, left);
    }
    CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_STARTED), started + 4 * 3);
    for (int i = 0; i < REQUESTS; i++)
        CU_ASSERT_EQUAL(MPI_Request_free(&requests[i]), MPI_SUCCESS);
}
#endif

static void starting_nothing_of_the_runtimes__is_for_MPI_to_judge(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CU_ASSERT_EQUAL(MPI_Start(&requests[0]), PMPI_Start(&requests[0]));
    CU_ASSERT_EQUAL(MPI_Start(NULL), PMPI_Start(NULL));
    CU_ASSERT_EQUAL(MPI_Startall(2, requests), PMPI_Startall(2, requests));
    CU_ASSERT_EQUAL(MPI_Startall(2, NULL), PMPI_Startall(2, NULL));
    CU_ASSERT_EQUAL(MPI_Startall(-1, requests), PMPI_Startall(-1, requests));
    CU_ASSERT_EQUAL(MPI_Startall(0, requests), MPI_SUCCESS);
    CU_ASSERT_EQUAL(MPI_Request_free(&requests[0]), PMPI_Request_free(&requests[0]));
    CU_ASSERT_EQUAL(MPI_Request_free(NULL), PMPI_Request_free(NULL));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Run a maker; the runtime must hear of it once. */
#define MAKE(comm, call)                                                                                               \
    do {                                                                                                               \
        const long made_before = counting_runtime_events(COUNTING_MADE);                                               \
        CU_ASSERT_EQUAL(call, MPI_SUCCESS);                                                                            \
        CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_MADE), made_before + 1);                                      \
        CU_ASSERT_TRUE((comm) != MPI_COMM_NULL);                                                                       \
    } while (0)

static void leave(MPI_Comm *comm, int (*leaver)(MPI_Comm *))
{
    const long going = counting_runtime_events(COUNTING_GOING);

    CU_ASSERT_EQUAL(leaver(comm), MPI_SUCCESS);
    CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_GOING), going + 1);
    CU_ASSERT_TRUE(*comm == MPI_COMM_NULL);
}

static void makers__tell_of_intracommunicators(void)
{
    MPI_Comm comm;
    MPI_Group group;

    MAKE(comm, MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    leave(&comm, MPI_Comm_free);
    MAKE(comm, MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm));
    leave(&comm, MPI_Comm_disconnect);
    MAKE(comm, MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm));
    leave(&comm, MPI_Comm_free);
    MAKE(comm, MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    leave(&comm, MPI_Comm_free);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MAKE(comm, MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    leave(&comm, MPI_Comm_free);
    MAKE(comm, MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm));
    leave(&comm, MPI_Comm_free);
    MPI_Group_free(&group);
}

static void makers__tell_of_topologies(void)
{
    MPI_Comm comm, row;
    int index[RANKS_MAX], edges[RANKS_MAX];
    const int dims[] = {ranks, 1}, periods[] = {0, 0}, remain[] = {0, 1};
    const int right = (rank + 1) % ranks, one = 1, weight = 7;

    for (int i = 0; i < ranks; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % ranks;
    }
    MAKE(comm, MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
    MAKE(row, MPI_Cart_sub(comm, remain, &row));
    leave(&row, MPI_Comm_free);
    leave(&comm, MPI_Comm_free);
    MAKE(comm, MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm));
    leave(&comm, MPI_Comm_free);
    MAKE(comm, MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, &weight, MPI_INFO_NULL, 0, &comm));
    leave(&comm, MPI_Comm_free);
    MAKE(comm, MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0,
                                              &comm));
    leave(&comm, MPI_Comm_free);
}

static void makers__tell_of_intercommunicators(void)
{
    MPI_Comm half, inter, merged;

    MAKE(half, MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half));
    MAKE(inter, MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &inter));
    MAKE(merged, MPI_Intercomm_merge(inter, 0, &merged));
    leave(&merged, MPI_Comm_free);
    leave(&inter, MPI_Comm_free);
    leave(&half, MPI_Comm_free);
}

static void idup__tells_that_a_communicator_is_coming(void)
{
    const long coming = counting_runtime_events(COUNTING_COMING), made = counting_runtime_events(COUNTING_MADE);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request;
    int size;

    CU_ASSERT_EQUAL(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request), MPI_SUCCESS);
    CU_ASSERT_EQUAL(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_COMING), coming + 1);
    CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_MADE), made);
    MPI_Comm_size(comm, &size);
    CU_ASSERT_EQUAL(size, ranks);
    leave(&comm, MPI_Comm_free);
}

/* A socket from rank 0 to rank 1, or -1 elsewhere. The kernel chooses the name. */
static int connected_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    socklen_t length = sizeof name;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), listener = fd;

    if (rank == 0) {
        bind(listener, (struct sockaddr *)&name, sizeof name.sun_family);
        getsockname(listener, (struct sockaddr *)&name, &length);
        listen(listener, 1);
        MPI_Send(&name, (int)length, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        fd = accept(listener, NULL, NULL);
        close(listener);
        return fd;
    }
    if (rank == 1) {
        MPI_Status status;
        int bytes;

        MPI_Recv(&name, sizeof name, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        CU_ASSERT_EQUAL(connect(fd, (struct sockaddr *)&name, (socklen_t)bytes), 0);
        return fd;
    }
    close(fd);
    return -1;
}

static void join__tells_of_its_intercommunicator(void)
{
    int fd = connected_socket();
    MPI_Comm inter;

    if (fd < 0)
        return;
    MAKE(inter, MPI_Comm_join(fd, &inter));
    leave(&inter, MPI_Comm_disconnect);
    close(fd);
}

static int free_companion(MPI_Comm comm, int key, void *value, void *state)
{
    MPI_Comm *companion = value;

    (void)comm, (void)key, (void)state;
    return MPI_Comm_free(companion);
}

static void a_name__is_told(void)
{
    const long named = counting_runtime_events(COUNTING_NAMED);
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm;
    int length;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CU_ASSERT_EQUAL(MPI_Comm_set_name(comm, "solver"), MPI_SUCCESS);
    CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_NAMED), named + 1);
    MPI_Comm_get_name(comm, name, &length);
    CU_ASSERT_STRING_EQUAL(name, "solver");
    MPI_Comm_free(&comm);
}

static void a_communicator_freed_by_an_attribute__is_told_too(void)
{
    MPI_Comm comm, companion;
    int key;
    long going;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_companion, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &companion);
    MPI_Comm_set_attr(comm, key, &companion);
    going = counting_runtime_events(COUNTING_GOING);
    MPI_Comm_free(&comm);
    CU_ASSERT_EQUAL(counting_runtime_events(COUNTING_GOING), going + 2);
    MPI_Comm_free_keyval(&key);
}

enum { THREAD_CALLS = 200 };

static void *reduce_often(void *argument)
{
    MPI_Comm *comm = argument;
    MPI_Request request;
    int sum;

    for (int i = 0; i < THREAD_CALLS; i++) {
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, *comm);
        MPI_Iallreduce(&i, &sum, 1, MPI_INT, MPI_SUM, *comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void threads__do_not_close_the_doors_to_each_other(void)
{
    const long passed = counting_runtime_passed(WM_ALLREDUCE, COUNTING_RUN);
    const long begun = counting_runtime_passed(WM_ALLREDUCE, COUNTING_BEGIN);
    pthread_t threads[2];
    MPI_Comm comms[2];

    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, reduce_often, &comms[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(counting_runtime_passed(WM_ALLREDUCE, COUNTING_RUN), passed + 2 * THREAD_CALLS);
    CU_ASSERT_EQUAL(counting_runtime_passed(WM_ALLREDUCE, COUNTING_BEGIN), begun + 2 * THREAD_CALLS);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
}

static void finalize__puts_the_runtime_to_sleep(void)
{
    PMPI_Comm_free(&ring);
    MPI_Info_free(&info);
    CU_ASSERT_EQUAL(MPI_Finalize(), MPI_SUCCESS);
    CU_ASSERT_FALSE(counting_runtime_awake());
}

static const struct check_case cases[] = {
    CASE(init__wakes_the_runtime),
    CASE(every_collective__is_in_the_table),
    CASE(every_collective__passes_once),
    CASE(every_nonblocking_collective__passes_once),
    CASE(every_persistent_collective__passes_once),
    CASE(every_collective__passes_in_place),
    CASE(requests__are_waited_for_beside_messages),
#if WM_PERSISTENT_LIBRARY
    CASE(startall__starts_the_runtimes_and_others),
#endif
    CASE(starting_nothing_of_the_runtimes__is_for_MPI_to_judge),
    CASE(makers__tell_of_intracommunicators),
    CASE(makers__tell_of_topologies),
    CASE(makers__tell_of_intercommunicators),
    CASE(idup__tells_that_a_communicator_is_coming),
    CASE(join__tells_of_its_intercommunicator),
    CASE(a_name__is_told),
    CASE(a_communicator_freed_by_an_attribute__is_told_too),
    CASE(threads__do_not_close_the_doors_to_each_other),
    CASE(finalize__puts_the_runtime_to_sleep),
};

CHECK_MAIN("doors", cases)
