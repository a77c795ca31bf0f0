/* Nonblocking collective calls that do not match, and such that differ as they may: 3 ranks.
 *
 *   guarded_nonblocking same    each mismatch of one operation on a communicator of its own, begun and never complete
 *   guarded_nonblocking other   the same of different operations
 *   guarded_nonblocking legal   differences that MPI allows */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, PLACES = 64 };

static int rank;
static int in[PLACES];
static int out[MOST][PLACES]; /* each call has one of its own: all may be under way */
static MPI_Request requests[MOST];
static int begun;

static MPI_Comm named(const char *name)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* The next call's own. */
static MPI_Request *request(void)
{
    requests[begun] = MPI_REQUEST_NULL;
    return &requests[begun++];
}

static void begin_other_operation(void)
{
    MPI_Comm first = named("bcast-reduce"), second = named("barrier-allreduce"), third = named("order");

    if (rank == 1) {
        MPI_Ireduce(in, out[begun], 1, MPI_INT, MPI_SUM, 0, first, request()); /* site: reduce */
        MPI_Ibarrier(second, request());                                       /* site: barrier */
        MPI_Iallreduce(in, out[begun], 1, MPI_INT, MPI_SUM, third, request());
        MPI_Ibcast(out[begun], 1, MPI_INT, 0, third, request());
        return;
    }
    MPI_Ibcast(out[begun], 1, MPI_INT, 0, first, request()); /* site: bcast */
    MPI_Iallreduce(in, out[begun], 1, MPI_INT, MPI_SUM, second, request());
    MPI_Ibcast(out[begun], 1, MPI_INT, 0, third, request()); /* site: order */
    MPI_Iallreduce(in, out[begun], 1, MPI_INT, MPI_SUM, third, request());
}

static void begin_same_operation(void)
{
    MPI_Comm comms[7];
    bool odd = rank == 1;
    static const char *const names[] = {"roots", "operators", "excess", "types", "two-for-one", "truncate", "other"};

    for (int i = 0; i < 7; i++)
        comms[i] = named(names[i]);
    MPI_Ibcast(out[begun], 4, MPI_INT, odd, comms[0], request());                 /* site: roots */
    MPI_Iallreduce(in, out[begun], 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, comms[1], /* site: operators */
                   request());
    MPI_Igather(in, odd ? 1 : 2, MPI_INT, out[begun], 2, MPI_INT, 0, comms[2], request()); /* site: excess */
    MPI_Ibcast(out[begun], 4, odd ? MPI_FLOAT : MPI_INT, 0, comms[3], request());          /* site: types */
    MPI_Ibcast(out[begun], odd ? 1 : 2, odd ? MPI_DOUBLE : MPI_INT, 0, comms[4],           /* site: two-for-one */
               request());
    MPI_Ibcast(out[begun], odd ? 4 : 64, MPI_INT, 0, comms[5], request());               /* site: truncate */
    MPI_Iallreduce(in, out[begun], odd ? 4 : 64, MPI_INT, MPI_SUM, comms[6], request()); /* site: other */
}

/* --- What may differ: a function for each row of what is compared --- */

/* Form and operation: completed by other calls, in another order, and not all at once. */
static void complete_otherwise(MPI_Comm comm)
{
    int flag = 0;

    MPI_Iallreduce(in, out[0], 3, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibcast(out[1], 3, MPI_INT, 0, comm, &requests[1]);
    MPI_Ibarrier(comm, &requests[2]);
    if (rank == 0)
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    while (rank == 1 && !flag)
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* Root: another call's, and what those who are not the root give of what it alone reads. */
static void ignore_at_others(MPI_Comm comm)
{
    MPI_Igather(in, 2, MPI_INT, rank == 2 ? out[0] : NULL, rank == 2 ? 2 : -1, rank == 2 ? MPI_INT : MPI_DATATYPE_NULL,
                2, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Iscatter(rank == 1 ? in : NULL, rank == 1 ? 2 : 7, MPI_INT, out[0], 2, MPI_INT, 1, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void add(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)b)[i] += ((int *)a)[i];
}

static void add_otherwise(void *a, void *b, int *count, MPI_Datatype *type)
{
    add(a, b, count, type);
}

/* Operator: other functions that commute alike. */
static void combine_otherwise(MPI_Comm comm)
{
    MPI_Op op;

    MPI_Op_create(rank == 1 ? add_otherwise : add, 1, &op);
    MPI_Ireduce(in, out[0], 3, MPI_INT, op, 1, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Op_free(&op);
}

/* Bytes and signature: counts and datatypes that amount to the same. */
static void count_otherwise(MPI_Comm comm)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Ibcast(out[0], rank == 1 ? 4 : 2, rank == 1 ? MPI_INT : pair, 0, comm, &requests[0]);
    MPI_Iallgather(in, rank == 2 ? 1 : 2, rank == 2 ? pair : MPI_INT, out[1], rank == 0 ? 1 : 2,
                   rank == 0 ? pair : MPI_INT, comm, &requests[1]);
    MPI_Ibcast(out[2], rank == 1 ? 16 : 4, rank == 1 ? MPI_BYTE : MPI_INT, 0, comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&pair);
}

/* Buffers, MPI_IN_PLACE, counts between pairs. */
static void place_otherwise(MPI_Comm comm)
{
    int counts[3], places[3];

    for (int r = 0; r < 3; r++) {
        counts[r] = rank + r;
        places[r] = (rank + 5) * r;
    }
    MPI_Iallreduce(rank == 1 ? MPI_IN_PLACE : in, out[0] + rank, 3, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ialltoallv(in, counts, places, MPI_INT, out[1], counts, places, MPI_INT, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void legal(void)
{
    MPI_Comm comm = named("legal");

    complete_otherwise(comm);
    ignore_at_others(comm);
    combine_otherwise(comm);
    count_otherwise(comm);
    place_otherwise(comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "legal") == 0)
        legal();
    else {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (strcmp(what, "same") == 0)
            begin_same_operation();
        else
            begin_other_operation();
        MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* until it is ended */
    }
    MPI_Finalize();
    return 0;
}
