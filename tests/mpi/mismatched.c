/* Errors in collective calls, by the categories of MPI-CorrBench and of MBI: each case is made by two ranks of their
 * own. What --verify full alone sees is in flawed.c.
 *
 *   mismatched FIRST   cases FIRST, FIRST + 1, …, as many as there are pairs of ranks
 *
 * The line of each side has a comment, "a: NAME" at the even rank and "b: NAME" at the odd one. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Comm comm;
static int in[256], out[256];
static MPI_Request requests[4];
static int two[2] = {2, 2}, three[2] = {2, 3}, places[2] = {0, 8};

/* --- Another operation: MBI's CallOrdering, CorrBench's MismatchingCall --- */

static void bcast_allreduce(bool odd)
{
    if (odd)
        MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, comm); /* b: bcast-allreduce */
    else
        MPI_Bcast(out, 4, MPI_INT, 0, comm); /* a: bcast-allreduce */
}

static void gather_scatter(bool odd)
{
    if (odd)
        MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm); /* b: gather-scatter */
    else
        MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm); /* a: gather-scatter */
}

static void gather_gatherv(bool odd)
{
    if (odd)
        MPI_Gatherv(in, 2, MPI_INT, out, two, places, MPI_INT, 0, comm); /* b: gather-gatherv */
    else
        MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm); /* a: gather-gatherv */
}

static void scan_exscan(bool odd)
{
    if (odd)
        MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, comm); /* b: scan-exscan */
    else
        MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, comm); /* a: scan-exscan */
}

static void barrier_reduce(bool odd)
{
    if (odd)
        MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, 0, comm); /* b: barrier-reduce */
    else
        MPI_Barrier(comm); /* a: barrier-reduce */
}

static void alltoall_allgather(bool odd)
{
    if (odd)
        MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm); /* b: alltoall-allgather */
    else
        MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm); /* a: alltoall-allgather */
}

static void swapped(bool odd)
{
    if (odd) {
        MPI_Barrier(comm); /* b: swapped */
        MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, comm);
    } else {
        MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, comm); /* a: swapped */
        MPI_Barrier(comm);
    }
}

static void in_a_loop(bool odd)
{
    for (int i = 0; i < 5 - odd; i++)
        MPI_Bcast(out, 2, MPI_INT, 0, comm);           /* a: in-a-loop */
    MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, comm); /* b: in-a-loop */
}

/* --- Blocking and not: MBI's CallOrdering of nonblocking calls --- */

static void barrier_ibarrier(bool odd)
{
    if (odd)
        MPI_Ibarrier(comm, requests); /* b: barrier-ibarrier */
    else
        MPI_Barrier(comm); /* a: barrier-ibarrier */
}

static void iallreduce_ireduce(bool odd)
{
    if (odd)
        MPI_Ireduce(in, out, 2, MPI_INT, MPI_SUM, 0, comm, requests); /* b: iallreduce-ireduce */
    else
        MPI_Iallreduce(in, out, 2, MPI_INT, MPI_SUM, comm, requests); /* a: iallreduce-ireduce */
}

static void order_of_begins(bool odd)
{
    if (odd) {
        MPI_Ibarrier(comm, requests); /* b: order-of-begins */
        MPI_Ibcast(out, 2, MPI_INT, 0, comm, requests + 1);
    } else {
        MPI_Ibcast(out, 2, MPI_INT, 0, comm, requests); /* a: order-of-begins */
        MPI_Ibarrier(comm, requests + 1);
    }
}

/* --- Arguments that must agree: ParamMatching, ArgMismatch --- */

static void root_of_reduce(bool odd)
{
    MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, odd, comm); /* a: root-of-reduce */
}

static void root_of_scatter(bool odd)
{
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, odd, comm); /* a: root-of-scatter */
}

static void root_of_igather(bool odd)
{
    MPI_Igather(in, 2, MPI_INT, out, 2, MPI_INT, odd, comm, requests); /* a: root-of-igather */
}

static void operator_of_scan(bool odd)
{
    MPI_Scan(in, out, 2, MPI_INT, odd ? MPI_MIN : MPI_SUM, comm); /* a: operator-of-scan */
}

static void operator_of_reduce(bool odd)
{
    MPI_Reduce(in, out, 2, MPI_INT, odd ? MPI_BOR : MPI_SUM, 0, comm); /* a: operator-of-reduce */
}

static void count_of_allgather(bool odd)
{
    MPI_Allgather(in, 2 + odd, MPI_INT, out, 2 + odd, MPI_INT, comm); /* a: count-of-allgather */
}

static void count_of_alltoall(bool odd)
{
    MPI_Alltoall(in, 2 + odd, MPI_INT, out, 2 + odd, MPI_INT, comm); /* a: count-of-alltoall */
}

static void count_of_scatter(bool odd)
{
    MPI_Scatter(in, 2, MPI_INT, out, 2 + odd, MPI_INT, 0, comm); /* a: count-of-scatter */
}

static void counts_of_reduce_scatter(bool odd)
{
    const int *counts = odd ? three : two;

    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm); /* a: counts-of-reduce-scatter */
}

static void counts_of_allgatherv(bool odd)
{
    const int *counts = odd ? three : two;

    MPI_Allgatherv(in, 2, MPI_INT, out, counts, places, MPI_INT, comm); /* a: counts-of-allgatherv */
}

static void type_of_allreduce(bool odd)
{
    MPI_Allreduce(in, out, 2, odd ? MPI_FLOAT : MPI_INT, MPI_SUM, comm); /* a: type-of-allreduce */
}

static void type_of_bcast(bool odd)
{
    MPI_Bcast(out, 2, odd ? MPI_DOUBLE : MPI_LONG, 0, comm); /* a: type-of-bcast */
}

static void derived_type(bool odd)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2 + odd, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(out, 2, pair, 0, comm); /* a: derived-type */
}

/* --- What one rank leaves out: MissingCall --- */

static void left_out(bool odd)
{
    MPI_Barrier(comm);
    if (!odd)
        MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, comm); /* a: left-out */
}

static const struct {
    const char *name;
    void (*make)(bool odd);
} cases[] = {
    {"bcast-allreduce", bcast_allreduce},
    {"gather-scatter", gather_scatter},
    {"gather-gatherv", gather_gatherv},
    {"scan-exscan", scan_exscan},
    {"barrier-reduce", barrier_reduce},
    {"alltoall-allgather", alltoall_allgather},
    {"swapped", swapped},
    {"in-a-loop", in_a_loop},
    {"barrier-ibarrier", barrier_ibarrier},
    {"iallreduce-ireduce", iallreduce_ireduce},
    {"order-of-begins", order_of_begins},
    {"root-of-reduce", root_of_reduce},
    {"root-of-scatter", root_of_scatter},
    {"root-of-igather", root_of_igather},
    {"operator-of-scan", operator_of_scan},
    {"operator-of-reduce", operator_of_reduce},
    {"count-of-allgather", count_of_allgather},
    {"count-of-alltoall", count_of_alltoall},
    {"count-of-scatter", count_of_scatter},
    {"counts-of-reduce-scatter", counts_of_reduce_scatter},
    {"counts-of-allgatherv", counts_of_allgatherv},
    {"type-of-allreduce", type_of_allreduce},
    {"type-of-bcast", type_of_bcast},
    {"derived-type", derived_type},
    {"left-out", left_out},
};

int main(int argc, char **argv)
{
    int rank, which, first = argc > 1 ? atoi(argv[1]) : 0, count = sizeof cases / sizeof cases[0];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    which = first + rank / 2;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (which < count) {
        MPI_Comm_set_name(comm, cases[which].name);
        cases[which].make(rank % 2 == 1);
    }
    if (which < count && cases[which].make == left_out) {
        MPI_Finalize();
        return 0;
    }
    MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE); /* until it is ended */
    return 0;
}
