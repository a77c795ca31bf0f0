/* What is wrong within a rank's own calls, or between pairs of ranks, and what is not: 3 ranks.
 *
 *   flawed calls     each on a communicator that returns errors; says how many calls did. Then leaks
 *
 *   flawed results   each operation, on a communicator of its own; says how often it was wrong
 *
 *   flawed fatal     one on MPI_COMM_WORLD
 *
 *   flawed waits     one on MPI_COMM_WORLD, nonblocking, that would wait for ever
 *
 *   flawed legal     what MPI allows */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, PLACES = 64 };

static int rank, errors;
static int in[PLACES], out[PLACES], more[PLACES];
static const int ones[RANKS] = {1, 1, 1}, starts[RANKS] = {0, 1, 2};

static MPI_Comm comm_that_returns(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static void expect_error(int rc)
{
    errors += rc != MPI_SUCCESS;
}

/* --- Flaws of calls --- */

static void overlap(MPI_Comm comm)
{
    MPI_Request request, later;

    expect_error(MPI_Allreduce(in, in + 3, 4, MPI_INT, MPI_SUM, comm)); /* site: within */
    MPI_Ibcast(out, 8, MPI_INT, 0, comm, &request);                     /* site: first */
    expect_error(MPI_Iallreduce(in, out + 7, 2, MPI_INT, MPI_SUM, comm, /* site: second */
                                &later));
    MPI_Wait(&later, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(in, out, 8, MPI_INT, MPI_SUM, comm, &request);        /* site: reads */
    expect_error(MPI_Bcast(rank == 1 ? in : more, 2, MPI_INT, 0, comm)); /* site: blocking */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void change(MPI_Comm comm)
{
    MPI_Request request;

    MPI_Iallreduce(in, out, 8, MPI_INT, MPI_SUM, comm, &request); /* site: begun */
    if (rank == 2)
        in[5]++;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* site: ended */
}

static void flaw_persistent(MPI_Comm comm)
{
    MPI_Request kept[3], request;

    MPIX_Allreduce_init(in, out, 8, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &kept[0]); /* site: made */
    MPIX_Bcast_init(in + 7, 2, MPI_INT, 0, comm, MPI_INFO_NULL, &kept[1]);            /* site: other */
    MPIX_Barrier_init(comm, MPI_INFO_NULL, &kept[2]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&kept[0]);
        if (i == 1 && rank == 2)
            in[5]++;
        MPI_Wait(&kept[0], MPI_STATUS_IGNORE); /* site: completed */
        in[5]++;                               /* nobody reads it now */
    }
    MPI_Barrier(comm); /* who finds a flaw waits until it is named */
    MPI_Start(&kept[0]);
    expect_error(MPI_Startall(2, kept + 1));
    MPI_Waitall(3, kept, MPI_STATUSES_IGNORE);
    MPI_Ibcast(in, 8, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&kept[1]);
    MPI_Wait(&kept[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&kept[0]);
    MPI_Request_free(&kept[1]);
    MPI_Request_free(&kept[2]);
}

static void mismatch_edges(MPI_Comm comm)
{
    const int size = RANKS, around = 1, few[2] = {1, 1 + (rank == 1)};
    MPI_Request request;
    MPI_Comm ring;

    MPI_Cart_create(comm, 1, &size, &around, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    expect_error(MPI_Neighbor_alltoallv(in, few, starts, MPI_INT, out, ones, starts, MPI_INT, ring)); /* site: ring */
    expect_error(MPI_Neighbor_allgather(in, 1 + (rank == 0), MPI_INT, out, 1, MPI_INT, ring));        /* site: around */
    MPI_Ineighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring);
}

static void mismatch_pairs(MPI_Comm comm)
{
    const int few[RANKS] = {rank == 1 ? 0 : 1, 1, 1}, many[RANKS] = {1, 2, 1};
    MPI_Datatype types[RANKS] = {MPI_INT, MPI_INT, MPI_INT};
    const int bytes[RANKS] = {0, 4, 8};

    expect_error(MPI_Alltoallv(in, few, starts, MPI_INT, out, ones, starts, MPI_INT, comm)); /* site: alltoallv */
    expect_error(MPI_Alltoallw(in, few, bytes, types, out, ones, bytes, types, comm));       /* site: alltoallw */
    expect_error(MPI_Gatherv(in, 1, MPI_INT, out, many, starts, MPI_INT, 2, comm));          /* site: gatherv */
    expect_error(MPI_Scatterv(in, many, starts, MPI_INT, out, 1, MPI_INT, 0, comm));         /* site: scatterv */
    expect_error(MPI_Allgatherv(in, rank != 2, MPI_INT, out, ones, starts, MPI_INT, comm));  /* site: allgatherv */
}

static void mismatch_later(MPI_Comm comm)
{
    const int few[RANKS] = {rank == 1 ? 0 : 1, 1, 1};
    MPI_Request request;

    expect_error(MPIX_Alltoallv_init(in, few, starts, MPI_INT, out, ones, starts, MPI_INT, comm, /* site: init */
                                     MPI_INFO_NULL, &request));
}

static void wait_for_nothing(void)
{
    const int few[RANKS] = {rank == 1 ? 0 : 1, 1, 1};
    MPI_Request request;

    MPI_Ialltoallv(in, few, starts, MPI_INT, out, ones, starts, MPI_INT, MPI_COMM_WORLD, &request); /* site: later */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void make_calls(void)
{
    MPI_Comm comm = comm_that_returns();

    overlap(comm);
    change(comm);
    mismatch_pairs(comm);
    mismatch_later(comm);
    mismatch_edges(comm);
    flaw_persistent(comm);
    printf("rank %d: %d errors\n", rank, errors);
    MPI_Comm_free(&comm);
}

/* --- Leaks --- */

static void add(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)b)[i] += ((int *)a)[i];
}

static void leak(void)
{
    MPI_Comm comm, other;
    MPI_Request requests[2];
    MPI_Datatype pair;
    MPI_Op op;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* site: communicator */
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &other);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(out, 1, pair, 0, comm); /* site: datatype */
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(in, out, 1, MPI_INT, op, comm); /* site: operator */
    if (rank == 1)
        MPI_Send_init(in, 1, MPI_INT, 0, 0, comm, &requests[0]); /* site: request */
    MPI_Ibarrier(comm, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

/* --- Results --- */

static double real_in[PLACES], real_out[PLACES];

static int call_one(int which, MPI_Comm comm)
{
    const int counts[RANKS] = {4, 5, 6}, places[RANKS] = {0, 8, 16}, back[RANKS] = {4 + rank, 4 + rank, 4 + rank};

    switch (which) {
    case 0:
        return MPI_Allreduce(in, out, 9, MPI_INT, MPI_SUM, comm); /* site: sum */
    case 1:
        return MPI_Allreduce(MPI_IN_PLACE, out, 9, MPI_UNSIGNED_CHAR, MPI_BXOR, comm);
    case 2:
        return MPI_Allreduce(in, out, 9, MPI_SHORT, MPI_MAX, comm); /* site: most */
    case 3:
        return MPI_Allreduce(in, out, 9, MPI_UNSIGNED_LONG, MPI_BAND, comm);
    case 4:
        return MPI_Allreduce(real_in, real_out, 9, MPI_DOUBLE, MPI_SUM, comm); /* site: real */
    case 5:
        return MPI_Reduce(in, out, 9, MPI_LONG, MPI_SUM, 1, comm);
    case 6:
        return MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
    case 7:
        return MPI_Reduce_scatter_block(in, out, 3, MPI_INT, MPI_MIN, comm);
    case 8:
        return MPI_Bcast(out, 9, MPI_INT, 2, comm); /* site: copy */
    case 9:
        return MPI_Allgather(in, 3, MPI_INT, out, 3, MPI_INT, comm);
    case 10:
        return MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, comm);
    case 11:
        return MPI_Gather(in, 3, MPI_INT, out, 3, MPI_INT, 1, comm);
    case 12:
        return MPI_Scatter(in, 3, MPI_INT, out, 3, MPI_INT, 1, comm);
    case 13:
        return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, 3, MPI_INT, comm);
    default:
        return MPI_Alltoallv(in, counts, places, MPI_INT, out, back, places, MPI_INT, comm);
    }
}

enum { OPERATIONS = 15, CALLS = 32 };

static void compare_results(void)
{
    for (int i = 0; i < PLACES; i++)
        real_in[i] = 1.0 / (in[i] = 1 + rank + 7 * i);
    for (int which = 0; which < OPERATIONS; which++) {
        MPI_Comm comm = comm_that_returns();
        int wrong = 0;

        for (int i = 0; i < CALLS; i++)
            wrong += call_one(which, comm) != MPI_SUCCESS;
        if (wrong > 0)
            printf("operation %d is wrong %d times\n", which, wrong);
        MPI_Comm_free(&comm);
    }
}

/* --- What is legal --- */

/* Buffers beside each other, columns of one array, one send buffer of two calls, a type that is freed meanwhile. */
static void share_memory(void)
{
    MPI_Request requests[5];
    MPI_Datatype column;

    MPI_Type_vector(8, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Ibcast(out, 1, column, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(out + 1, 1, column, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&column);
    MPI_Iallreduce(in, more, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
    MPI_Iallreduce(in, more + 4, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
    MPI_Iallreduce(MPI_IN_PLACE, more + 8, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[4]);
    MPI_Allreduce(in, more + 12, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    in[0]++; /* nobody reads it any more */
    MPI_Igather(in, 1, MPI_INT, rank == 0 ? more : NULL, rank == 0 ? 1 : -1, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0,
                MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : more, rank == 1 ? more : NULL, 4, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
}

/* Counts between pairs: other types of the same signature, bytes, nothing at all, in place at the root. */
static void agree_otherwise(void)
{
    MPI_Datatype pair, types[RANKS] = {MPI_INT, MPI_INT, MPI_INT}, bytes[RANKS] = {MPI_BYTE, MPI_BYTE, MPI_BYTE};
    MPI_Datatype nothing;
    int twos[RANKS] = {2, 2, 2}, places[RANKS] = {0, 2, 4}, none[RANKS] = {0}, mine[RANKS], theirs[RANKS];
    int at[RANKS] = {0, 16, 32}, fours[RANKS] = {4, 4, 4};

    for (int r = 0; r < RANKS; r++) {
        mine[r] = rank * RANKS + r;
        theirs[r] = r * RANKS + rank;
    }
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Alltoallv(in, rank == 1 ? twos : ones, rank == 1 ? places : starts, rank == 1 ? MPI_INT : pair, out, ones,
                  starts, pair, MPI_COMM_WORLD);
    MPI_Alltoallv(in, mine, none, MPI_INT, more, theirs, (const int[]){0, 8, 24}, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, none, none, MPI_INT, out, ones, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(in, ones, at, types, out, fours, at, bytes, MPI_COMM_WORLD);
    MPI_Gatherv(rank == 2 ? MPI_IN_PLACE : in, 7 * (rank == 2) + 1, MPI_INT, out, ones, starts, MPI_INT, 2,
                MPI_COMM_WORLD);
    MPI_Scatterv(in, rank == 0 ? ones : none, starts, MPI_INT, rank == 0 ? MPI_IN_PLACE : out, 1, MPI_INT, 0,
                 MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, out, twos, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(in, rank == 0 ? 1 : 2, rank == 0 ? pair : MPI_INT, out, twos, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Alltoallv(in, ones, starts, nothing, out, none, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&nothing);
    MPI_Type_free(&pair);
}

/* Between two groups each gets what the other gave, and has a block for each rank of the other. */
static void cross(void)
{
    const int far = 1 << 28, blocks[RANKS] = {1, rank == 0 ? 1 : far, far}; /* `far`: of no rank, and not to be read */
    MPI_Comm part, between;

    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 0, &between);
    MPI_Alltoallv(in, blocks, starts, MPI_INT, out, blocks, starts, MPI_INT, between);
    MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, between);
    MPI_Bcast(in, 4, MPI_INT, rank == 0 ? MPI_ROOT : 0, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&part);
}

/* The same, nonblocking and persistent, and among neighbours that are one and the same. */
static void agree_later(void)
{
    const int twos[RANKS] = {2, 2, 2}, places[RANKS] = {0, 2, 4}, size = RANKS, around = 1, sizes[2] = {1, RANKS};
    const int arounds[2] = {1, 1};
    MPI_Request requests[4];
    MPI_Datatype pair;
    MPI_Comm ring, rings;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &ring);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, arounds, 0, &rings);
    MPI_Ialltoallv(in, twos, places, MPI_INT, out, ones, starts, pair, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgatherv(in, 2, MPI_INT, more, twos, places, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    MPI_Ineighbor_alltoallv(in, (const int[]){1, 2}, starts, MPI_INT, more + 8, (const int[]){2, 1}, places, MPI_INT,
                            ring, &requests[2]);
    MPI_Ineighbor_allgather(in, 1, MPI_INT, more + 16, 1, MPI_INT, rings, &requests[3]);
    MPI_Type_free(&pair);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Neighbor_allgather(in, 2, MPI_INT, more, 2, MPI_INT, rings);
    MPIX_Alltoallv_init(in, ones, starts, MPI_INT, out, ones, starts, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &requests[0]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        in[0]++;
    }
    MPI_Request_free(&requests[0]);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&rings);
}

static int free_late(MPI_Comm self, int key, void *comm, void *extra)
{
    (void)self, (void)key, (void)extra;
    return MPI_Comm_free(comm);
}

/* A communicator that is freed within MPI_Finalize, and requests that end in each of the ways that there are. */
static void free_all(void)
{
    static MPI_Comm late;
    MPI_Request request, three[3];
    MPI_Op op;
    int key, flag = 0, index, next = (rank + 1) % RANKS, former = (rank + RANKS - 1) % RANKS;

    MPI_Comm_dup(MPI_COMM_WORLD, &late);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_late, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &late);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(in, out, 1, MPI_INT, op, late);
    MPI_Op_free(&op);
    MPI_Isend(in, 1, MPI_INT, next, 0, late, &request);
    MPI_Request_free(&request);
    MPI_Recv_init(out, 1, MPI_INT, former, 0, late, &three[0]);
    MPI_Start(&three[0]);
    MPI_Wait(&three[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&three[0]);
    MPI_Ibarrier(late, &three[0]);
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, late, &three[1]);
    MPI_Ibarrier(late, &three[2]);
    MPI_Waitany(3, three, &index, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Testall(3, three, &flag, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "calls") == 0) {
        make_calls();
        leak();
    } else if (strcmp(argv[1], "results") == 0) {
        compare_results();
    } else if (strcmp(argv[1], "fatal") == 0) {
        MPI_Allreduce(in, in + 3, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(argv[1], "waits") == 0) {
        wait_for_nothing();
    } else {
        share_memory();
        agree_later();
        agree_otherwise();
        cross();
        compare_results();
        free_all();
    }
    MPI_Finalize();
    return 0;
}
