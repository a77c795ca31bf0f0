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
#include "tests/check.h"
#include "tests/mpi/counting_runtime.h"

enum { RANKS_MAX = 16, ROOT = 1 };

static int rank, ranks;
static int own[RANKS_MAX], got[RANKS_MAX], ones[RANKS_MAX], places[RANKS_MAX], byte_places[RANKS_MAX];
static MPI_Datatype types[RANKS_MAX];

/* One collective, called by `call` with `own` or MPI_IN_PLACE to send and `got` to receive. */
struct collective {
    enum wm_operation operation;
    void (*call)(const void *send, void *receive);
    enum { NEVER_IN_PLACE, AT_ROOT, AT_ROOT_RECEIVING, EVERYWHERE } in_place;
};

static void call_barrier(const void *send, void *receive)
{
    (void)send, (void)receive;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void call_bcast(const void *send, void *receive)
{
    memcpy(receive, send, sizeof own);
    MPI_Bcast(receive, ranks, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static void call_reduce(const void *send, void *receive)
{
    MPI_Reduce(send, receive, ranks, MPI_INT, MPI_SUM, ROOT, MPI_COMM_WORLD);
}

static void call_allreduce(const void *send, void *receive)
{
    MPI_Allreduce(send, receive, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_gather(const void *send, void *receive)
{
    MPI_Gather(send, 1, MPI_INT, receive, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static void call_gatherv(const void *send, void *receive)
{
    MPI_Gatherv(send, 1, MPI_INT, receive, ones, places, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static void call_scatter(const void *send, void *receive)
{
    MPI_Scatter(send, 1, MPI_INT, receive, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static void call_scatterv(const void *send, void *receive)
{
    MPI_Scatterv(send, ones, places, MPI_INT, receive, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
}

static void call_allgather(const void *send, void *receive)
{
    MPI_Allgather(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
}

static void call_allgatherv(const void *send, void *receive)
{
    MPI_Allgatherv(send, 1, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
}

static void call_alltoall(const void *send, void *receive)
{
    MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
}

static void call_alltoallv(const void *send, void *receive)
{
    MPI_Alltoallv(send, ones, places, MPI_INT, receive, ones, places, MPI_INT, MPI_COMM_WORLD);
}

static void call_alltoallw(const void *send, void *receive)
{
    MPI_Alltoallw(send, ones, byte_places, types, receive, ones, byte_places, types, MPI_COMM_WORLD);
}

static void call_reduce_scatter(const void *send, void *receive)
{
    MPI_Reduce_scatter(send, receive, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_reduce_scatter_block(const void *send, void *receive)
{
    MPI_Reduce_scatter_block(send, receive, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_scan(const void *send, void *receive)
{
    MPI_Scan(send, receive, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_exscan(const void *send, void *receive)
{
    MPI_Exscan(send, receive, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
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
        ones[i] = 1;
        places[i] = i;
        byte_places[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

static void init__wakes_the_runtime(void)
{
    int provided;

    CU_ASSERT_FALSE(counting_runtime_awake());
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    CU_ASSERT_EQUAL(provided, MPI_THREAD_MULTIPLE);
    CU_ASSERT_TRUE(counting_runtime_awake());
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CU_ASSERT_FATAL(ranks >= 2 && ranks <= RANKS_MAX);
}

static void every_collective__is_in_the_table(void)
{
    CU_ASSERT_EQUAL(COLLECTIVE_COUNT, WM_OPERATION_COUNT);
    for (int i = 0; i < COLLECTIVE_COUNT; i++)
        CU_ASSERT_EQUAL(collectives[i].operation, i);
}

static void every_collective__passes_once(void)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        const struct collective *c = &collectives[i];
        const long passed = counting_runtime_passed(c->operation), in_place = counting_runtime_in_place(c->operation);

        fill();
        c->call(own, got);
        check_values(c->operation, got);
        CU_ASSERT_EQUAL(counting_runtime_passed(c->operation), passed + 1);
        CU_ASSERT_EQUAL(counting_runtime_in_place(c->operation), in_place);
    }
}

/* A gather's own share stands at its place in the receive buffer; an alltoall's and a reduction's is the
 * whole of it. */
static void every_collective__passes_in_place(void)
{
    for (int i = 0; i < COLLECTIVE_COUNT; i++) {
        const struct collective *c = &collectives[i];
        const bool here = c->in_place == EVERYWHERE || rank == ROOT;
        const long in_place = counting_runtime_in_place(c->operation);

        if (c->in_place == NEVER_IN_PLACE)
            continue;
        fill();
        memcpy(got, own, sizeof got);
        if (c->operation == WM_ALLGATHER || c->operation == WM_ALLGATHERV || c->operation == WM_GATHER ||
            c->operation == WM_GATHERV)
            got[rank] = own[0];
        if (c->in_place == AT_ROOT_RECEIVING)
            c->call(own, here ? MPI_IN_PLACE : got);
        else
            c->call(here ? MPI_IN_PLACE : own, got);
        if (c->in_place != AT_ROOT_RECEIVING || !here)
            check_values(c->operation, got);
        CU_ASSERT_EQUAL(counting_runtime_in_place(c->operation), in_place + here);
    }
}

/* Run a maker; the runtime must hear of it once. */
#define MAKE(comm, call)                                                                                               \
    do {                                                                                                               \
        const long made_before = counting_runtime_made();                                                              \
        CU_ASSERT_EQUAL(call, MPI_SUCCESS);                                                                            \
        CU_ASSERT_EQUAL(counting_runtime_made(), made_before + 1);                                                     \
        CU_ASSERT_TRUE((comm) != MPI_COMM_NULL);                                                                       \
    } while (0)

static void leave(MPI_Comm *comm, int (*leaver)(MPI_Comm *))
{
    const long going = counting_runtime_going();

    CU_ASSERT_EQUAL(leaver(comm), MPI_SUCCESS);
    CU_ASSERT_EQUAL(counting_runtime_going(), going + 1);
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
    const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, one = 1, weight = 7;

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

static void a_communicator_freed_by_an_attribute__is_told_too(void)
{
    MPI_Comm comm, companion;
    int key;
    long going;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_companion, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &companion);
    MPI_Comm_set_attr(comm, key, &companion);
    going = counting_runtime_going();
    MPI_Comm_free(&comm);
    CU_ASSERT_EQUAL(counting_runtime_going(), going + 2);
    MPI_Comm_free_keyval(&key);
}

enum { THREAD_CALLS = 200 };

static void *reduce_often(void *argument)
{
    MPI_Comm *comm = argument;
    int sum;

    for (int i = 0; i < THREAD_CALLS; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, *comm);
    return NULL;
}

static void threads__do_not_close_the_doors_to_each_other(void)
{
    const long passed = counting_runtime_passed(WM_ALLREDUCE);
    pthread_t threads[2];
    MPI_Comm comms[2];

    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, reduce_often, &comms[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(counting_runtime_passed(WM_ALLREDUCE), passed + 2 * THREAD_CALLS);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
}

static void finalize__puts_the_runtime_to_sleep(void)
{
    CU_ASSERT_EQUAL(MPI_Finalize(), MPI_SUCCESS);
    CU_ASSERT_FALSE(counting_runtime_awake());
}

static const struct check_case cases[] = {
    CASE(init__wakes_the_runtime),
    CASE(every_collective__is_in_the_table),
    CASE(every_collective__passes_once),
    CASE(every_collective__passes_in_place),
    CASE(makers__tell_of_intracommunicators),
    CASE(makers__tell_of_topologies),
    CASE(makers__tell_of_intercommunicators),
    CASE(join__tells_of_its_intercommunicator),
    CASE(a_communicator_freed_by_an_attribute__is_told_too),
    CASE(threads__do_not_close_the_doors_to_each_other),
    CASE(finalize__puts_the_runtime_to_sleep),
};

CHECK_MAIN("doors", cases)
