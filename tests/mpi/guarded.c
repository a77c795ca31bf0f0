/* Collective calls that do not match, in each of the ways that there are, and calls that differ as they may.
 *
 *   guarded legal           differences that MPI allows
 *   guarded silent          mismatches that return, each on a communicator of its own
 *   guarded operators       one of them, and whether its result was used
 *   guarded pairs           the same, and those that the library finds out about, each of two ranks of their own: 14
 *   guarded hang [FIRST]    mismatches that never return, each of two ranks of their own, from the FIRST on: 10 ranks
 *   guarded order           two communicators in another order: 2 ranks
 *   guarded truncate|other  those that the library finds out about, and ends the job
 *   guarded long            one call of many is another one
 *   guarded lost            an allreduce, of which the map loses messages
 *   guarded until FILE      barriers until the file is there
 *   guarded dead FILE [pending]   rank 3 of 4 is killed: rank 2 has its errors, and makes the file, until which 0 and
 *                           1 go on
 *   guarded late FILE       the last rank comes to its third barrier when the file is there
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static int in[64], out[64];

static MPI_Comm named(MPI_Comm parent, const char *name)
{
    MPI_Comm comm;

    MPI_Comm_dup(parent, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

/* --- They return --- */

/* `odd`: this rank does it otherwise. */
static void roots(MPI_Comm comm, bool odd)
{
    MPI_Bcast(out, 4, MPI_INT, odd, comm); /* site: roots */
}

static void operators(MPI_Comm comm, bool odd)
{
    MPI_Allreduce(in, out, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, comm); /* site: operators */
}

static void excess(MPI_Comm comm, bool odd)
{
    MPI_Gather(in, odd ? 1 : 2, MPI_INT, out, 2, MPI_INT, 0, comm); /* site: excess */
}

static void types(MPI_Comm comm, bool odd)
{
    MPI_Bcast(out, 4, odd ? MPI_FLOAT : MPI_INT, 0, comm); /* site: types */
}

static void two_for_one(MPI_Comm comm, bool odd)
{
    MPI_Bcast(out, odd ? 1 : 2, odd ? MPI_DOUBLE : MPI_INT, 0, comm); /* site: two-for-one */
}

/* The first of calls that look alike but for their roots, each a kind of its own. */
static void rounds(MPI_Comm comm, bool odd)
{
    for (int i = 0; i < 2 * ranks; i++)
        MPI_Reduce(in, out, 1, MPI_INT, odd && i == 0 ? MPI_MAX : MPI_SUM, i % ranks, comm); /* site: rounds */
}

/* --- The library finds out about these --- */

static void truncated(MPI_Comm comm, bool odd)
{
    MPI_Bcast(out, odd ? 4 : 64, MPI_INT, 0, comm); /* site: truncate */
}

static void other_count(MPI_Comm comm, bool odd)
{
    MPI_Allreduce(in, out, odd ? 4 : 64, MPI_INT, MPI_SUM, comm); /* site: other */
}

/* A planned call may return, fail or hang: none keeps another from being made. */
static void pairs(void)
{
    static void (*const all[])(MPI_Comm, bool) = {roots, operators, excess, types, two_for_one, truncated, other_count};
    static const char *const names[] = {"roots", "operators", "excess", "types", "two-for-one", "truncate", "other"};
    int which = rank / 2 % 7;
    MPI_Comm pair;

    MPI_Comm_split(MPI_COMM_WORLD, which, 0, &pair);
    MPI_Comm_set_name(pair, names[which]);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    all[which](pair, rank % 2 == 1);
}

/* --- They do not; ranks 0 and 1 of a communicator --- */

static void bcast_reduce(MPI_Comm comm, int me)
{
    if (me == 0)
        MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, comm); /* site: reduce */
    else
        MPI_Bcast(out, 1, MPI_INT, 0, comm); /* site: bcast */
}

static void barrier_allreduce(MPI_Comm comm, int me)
{
    if (me == 0)
        MPI_Barrier(comm); /* site: barrier */
    else
        MPI_Allreduce(in, out, 64, MPI_INT, MPI_SUM, comm);
    MPI_Barrier(comm);
}

static void bcast_ibcast(MPI_Comm comm, int me)
{
    MPI_Request request;

    if (me == 1) {
        MPI_Bcast(out, 1, MPI_INT, 0, comm);
        return;
    }
    MPI_Ibcast(out, 1, MPI_INT, 0, comm, &request); /* site: ibcast */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

static void order(MPI_Comm row, MPI_Comm column, int me)
{
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, me == 0 ? row : column); /* site: order */
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, me == 0 ? column : row);
}

static void absent(MPI_Comm comm, int me)
{
    MPI_Barrier(comm);
    if (me == 0)
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm); /* site: absent */
}

static void hang(int first)
{
    MPI_Comm pair, row, column;
    int me = rank % 2;

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
    row = named(pair, "row");
    column = named(pair, "column");
    switch (first + rank / 2) {
    case 0:
        MPI_Comm_set_name(pair, "bcast-reduce");
        bcast_reduce(pair, me);
        MPI_Barrier(pair);
        break;
    case 1:
        MPI_Comm_set_name(pair, "barrier-allreduce");
        barrier_allreduce(pair, me);
        break;
    case 2:
        MPI_Comm_set_name(pair, "bcast-ibcast");
        bcast_ibcast(pair, me);
        break;
    case 3:
        order(row, column, me);
        break;
    default:
        MPI_Comm_set_name(pair, "absent");
        absent(pair, me);
    }
}

/* --- What may differ --- */

static void types_differ(MPI_Comm comm)
{
    MPI_Datatype pair, row, record;
    int lengths[2] = {1, 3};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_INT, MPI_INT};

    for (int i = 0; i < 3; i++) { /* the library gives the handles again */
        MPI_Type_contiguous(2, i == 1 ? MPI_FLOAT : MPI_INT, &pair);
        MPI_Type_vector(2, 2, 3, i == 1 ? MPI_FLOAT : MPI_INT, &row);
        parts[0] = parts[1] = i == 1 ? MPI_FLOAT : MPI_INT;
        MPI_Type_create_struct(2, lengths, places, parts, &record);
        MPI_Type_commit(&pair);
        MPI_Type_commit(&row);
        MPI_Type_commit(&record);
        if (rank == 0)
            MPI_Bcast(out, 2, pair, 0, comm);
        else if (rank == 1)
            MPI_Bcast(out, 1, row, 0, comm);
        else
            MPI_Bcast(out, 1, record, 0, comm);
        MPI_Type_free(&pair);
        MPI_Type_free(&row);
        MPI_Type_free(&record);
    }
    MPI_Bcast(out, 4, rank == 1 ? MPI_INTEGER : MPI_INT, 0, comm);
    MPI_Bcast(out, rank == 1 ? 16 : 4, rank == 1 ? MPI_BYTE : MPI_INT, 0, comm);
    MPI_Bcast(out, rank == 2 ? 16 : 4, rank == 2 ? MPI_PACKED : MPI_INT, 0, comm);
    MPI_Bcast(out, 0, rank == 1 ? MPI_DOUBLE : MPI_INT, 0, comm);
}

static void buffers_differ(MPI_Comm comm)
{
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : in, rank == 0 ? 99 : 2, rank == 0 ? MPI_DATATYPE_NULL : MPI_INT, out, 2,
               MPI_INT, 0, comm);
    MPI_Scatter(in, rank == 0 ? 2 : 77, MPI_INT, rank == 0 ? MPI_IN_PLACE : out, 2, MPI_INT, 0, comm);
    MPI_Allreduce(rank == 1 ? MPI_IN_PLACE : in, out, 3, MPI_INT, MPI_SUM, comm);
    MPI_Allgather(rank == 2 ? MPI_IN_PLACE : in, 2, MPI_INT, out, 2, MPI_INT, comm);
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

static void operators_differ(MPI_Comm comm)
{
    MPI_Op op;

    MPI_Op_create(rank == 1 ? add_otherwise : add, 1, &op);
    MPI_Allreduce(in, out, 3, MPI_INT, op, comm);
    MPI_Op_free(&op);
    MPI_Op_create(add, 0, &op);
    MPI_Allreduce(in, out, 3, MPI_INT, op, comm);
    MPI_Op_free(&op);
}

static void counts_differ(MPI_Comm comm)
{
    int counts[8], places[8], halves[8];
    MPI_Datatype pair;

    for (int r = 0; r < ranks; r++) {
        counts[r] = 2 * r;
        halves[r] = r;
        places[r] = 8 * r;
    }
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Gatherv(in, 2 * rank, MPI_INT, out, counts, places, MPI_INT, 0, comm);
    MPI_Allgatherv(in, 2 * rank, MPI_INT, out, rank == 1 ? halves : counts, rank == 1 ? (int[]){0, 4, 8} : places,
                   rank == 1 ? pair : MPI_INT, comm);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
    MPI_Type_free(&pair);
}

/* Another place of the program calls the same; communicators come and go. */
static void sites_differ(MPI_Comm comm)
{
    for (int i = 0; i < 300; i++) {
        MPI_Comm other = named(comm, "short-lived");

        if (rank == 0)
            MPI_Bcast(in, 1, MPI_INT, 0, other);
        else
            MPI_Bcast(out, 1, MPI_INT, 0, other);
        MPI_Comm_free(&other);
    }
}

static void nonblocking_differs(MPI_Comm comm)
{
    MPI_Request requests[2];

    MPI_Ibcast(out + 3, 3, MPI_INT, 0, comm, &requests[0]);
    MPI_Iallreduce(in, out, 3, MPI_INT, MPI_SUM, comm, &requests[1]);
    if (rank == 1)
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void legal(void)
{
    MPI_Comm comm = named(MPI_COMM_WORLD, "legal"), part;

    types_differ(comm);
    buffers_differ(comm);
    operators_differ(comm);
    counts_differ(comm);
    sites_differ(comm);
    nonblocking_differs(comm);
    MPI_Comm_split(comm, rank == 0, 0, &part);
    if (rank == 0)
        MPI_Barrier(part);
    else
        MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, part);
    MPI_Barrier(comm);
    MPI_Comm_free(&part);
    MPI_Comm_free(&comm);
}

static void many(void)
{
    for (int i = 0; i < 4000; i++)
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 4000; i++)
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static bool is_there(const char *file)
{
    usleep(10000);
    return access(file, F_OK) == 0;
}

static void until(const char *file)
{
    int there = 0;

    while (!there) {
        if (rank == 0)
            there = is_there(file);
        MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* Is it an error of a rank that is dead? */
static void expect_dead(const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class, length;

    MPI_Error_class(rc, &class);
    MPI_Error_string(rc, text, &length);
    printf("%s: class %s, %s\n", what, class == MPI_ERR_OTHER ? "MPI_ERR_OTHER" : "of something else", text);
}

/* Rank 3 stops calling, to be killed; rank 2 waits for it, with another call in flight, if that is wanted. */
static void fail_all(MPI_Comm half, const char *file, bool with_pending)
{
    MPI_Request request;
    int rc = MPI_SUCCESS;

    for (int i = 0; i < 100; i++)
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, half);
    if (rank == 3) {
        printf("rank 3 calls no more\n");
        fflush(stdout);
        while (true)
            pause();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* which MPI_Wait asks */
    if (with_pending)
        MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, half, &request);
    expect_dead("waiting", MPI_Allreduce(in, out + 1, 1, MPI_INT, MPI_SUM, half));
    if (with_pending)
        expect_dead("pending", MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_dead("later", MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, half));
    rc = MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, half, &request);
    expect_dead("nonblocking", rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc);
    fclose(fopen(file, "w"));
}

/* MPI_Finalize would wait for who is dead. */
static void dead(const char *file, bool with_pending)
{
    int there = 0, all = 0;
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (rank / 2 == 1)
        fail_all(half, file, with_pending);
    while (rank / 2 == 0 && !all) {
        there = is_there(file);
        MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_MIN, half);
    }
    if (rank == 0)
        printf("the other half has gone on\n");
    fflush(stdout);
    _exit(0);
}

static void late(const char *file)
{
    for (int i = 0; i < 3; i++) {
        while (i == 2 && rank == ranks - 1 && !is_there(file))
            ;
        MPI_Barrier(MPI_COMM_WORLD); /* site: late */
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(what, "legal") == 0)
        legal();
    else if (strcmp(what, "silent") == 0) {
        roots(named(MPI_COMM_WORLD, "roots"), rank == 2);
        operators(named(MPI_COMM_WORLD, "operators"), rank == 2);
        excess(named(MPI_COMM_WORLD, "excess"), rank == 1);
        types(named(MPI_COMM_WORLD, "types"), rank == 1);
        two_for_one(named(MPI_COMM_WORLD, "two-for-one"), rank == 1);
        rounds(named(MPI_COMM_WORLD, "rounds"), rank == 2);
    } else if (strcmp(what, "operators") == 0) {
        operators(MPI_COMM_WORLD, rank == 2);
        printf("used\n");
    } else if (strcmp(what, "pairs") == 0)
        pairs();
    else if (strcmp(what, "hang") == 0)
        hang(argc > 2 ? atoi(argv[2]) : 0);
    else if (strcmp(what, "order") == 0)
        order(named(MPI_COMM_WORLD, "row"), named(MPI_COMM_WORLD, "column"), rank);
    else if (strcmp(what, "truncate") == 0)
        truncated(MPI_COMM_WORLD, rank != 0);
    else if (strcmp(what, "other") == 0)
        other_count(MPI_COMM_WORLD, rank != 0);
    else if (strcmp(what, "lost") == 0)
        MPI_Allreduce(in, out, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* site: lost */
    else if (strcmp(what, "until") == 0)
        until(argv[2]);
    else if (strcmp(what, "dead") == 0)
        dead(argv[2], argc > 3);
    else if (strcmp(what, "late") == 0)
        late(argv[2]);
    else if (strcmp(what, "long") == 0)
        many();
    MPI_Finalize();
    return 0;
}
