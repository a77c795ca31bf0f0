/* What a call costs beyond its messages: the door, a cached plan, and the same messages written by hand, in one run.
 *
 * Run on 2 ranks under `waymark run`. MPI_X goes through the door, PMPI_X does not; the two are taken in turn, so that
 * drift hits both alike, and the medians of the batches are compared. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "bench/sample.h"

enum { BATCHES = 301, CALLS = 2000 };

struct pair {
    const char *name;
    void (*with)(void), (*without)(void);
};

static int rank, peer;
static double in[2], out[2], got[2];

static void door_self(void)
{
    MPI_Bcast(in, 0, MPI_DOUBLE, 0, MPI_COMM_SELF);
}

static void bare_self(void)
{
    PMPI_Bcast(in, 0, MPI_DOUBLE, 0, MPI_COMM_SELF);
}

static void door_gather(void)
{
    MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_SELF);
}

static void bare_gather(void)
{
    PMPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, MPI_COMM_SELF);
}

static void plan_allreduce(void)
{
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* What recursive doubling sends between 2 ranks. */
static void hand_allreduce(void)
{
    MPI_Request requests[2];

    PMPI_Irecv(got, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, &requests[0]);
    PMPI_Isend(in, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, &requests[1]);
    PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    PMPI_Reduce_local(in, got, 1, MPI_DOUBLE, MPI_SUM);
    memcpy(out, got, sizeof got[0]);
}

static void plan_barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void hand_barrier(void)
{
    MPI_Request requests[2];

    PMPI_Irecv(NULL, 0, MPI_BYTE, peer, 7, MPI_COMM_WORLD, &requests[0]);
    PMPI_Isend(NULL, 0, MPI_BYTE, peer, 7, MPI_COMM_WORLD, &requests[1]);
    PMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static double batch_ns(void (*call)(void))
{
    double begin;

    PMPI_Barrier(MPI_COMM_WORLD);
    begin = PMPI_Wtime();
    for (int i = 0; i < CALLS; i++)
        call();
    return (PMPI_Wtime() - begin) * 1e9 / CALLS;
}

static void measure(const struct pair *pair)
{
    static double with[BATCHES], without[BATCHES];
    double with_ns, without_ns;

    batch_ns(pair->with);
    for (int i = 0; i < BATCHES; i++) {
        with[i] = batch_ns(pair->with);
        without[i] = batch_ns(pair->without);
    }
    with_ns = bench_median(with, BATCHES);
    without_ns = bench_median(without, BATCHES);
    if (rank == 0)
        printf("%-44s %9.1f %9.1f %+9.1f %8.2f\n", pair->name, with_ns, without_ns, with_ns - without_ns,
               with_ns / without_ns);
}

static const struct pair native_pairs[] = {
    {"door, no rule or native, bcast of 0 B", door_self, bare_self},
    {"door, no rule, allgather of 8 B, 1 rank", door_gather, bare_gather},
};

static const struct pair planned_pairs[] = {
    {"plan against hand-written, allreduce of 8 B", plan_allreduce, hand_allreduce},
    {"plan against hand-written, barrier", plan_barrier, hand_barrier},
};

int main(int argc, char **argv)
{
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    peer = 1 - rank;
    if (ranks != 2 || argc != 2 || (strcmp(argv[1], "native") != 0 && strcmp(argv[1], "planned") != 0)) {
        fprintf(stderr, "usage: mpirun -n 2 waymark run -m MAP -- call_cost native|planned\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0)
        printf("%-44s %9s %9s %9s %8s\n", "medians, ns a call", "with", "without", "more", "ratio");
    for (int i = 0; i < 2; i++)
        measure(argv[1][0] == 'n' ? &native_pairs[i] : &planned_pairs[i]);
    MPI_Finalize();
    return 0;
}
