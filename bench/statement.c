/* What statements cost, beside the same communication written by hand in MPI, in one run: medians of runs that take
 * turns.
 *
 *   statement [COUNT]   COUNT: doubles of a broadcast, allreduce, alltoall and halo; 8 by default
 *
 * By hand: point-to-point posts all receives, then sends, one message an element, as the paper's figure 4 is written;
 * NBX is Hoefler's; a halo has persistent requests. Collectives are the map's own, where the program runs under one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <waymark/communicate.h>
#include "bench/sample.h"

enum { RUNS = 11, TIMES = 400, RANKS_MAX = 64 };

static int turn, two = 2, rank, ranks, count = 8, step[6] = {1, -1, 2, -2, 3, -3};
static double *data, *got, A[RANKS_MAX], B[RANKS_MAX];
static MPI_Request halo[12];
static MPI_Comm part; /* of ranks that are even, or odd, as this one */

/* ---- figure 4: every even rank gets a value of all ---- */

static void even_by_statement(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0", A, B);
}

static void even_by_hand(void)
{
    MPI_Request requests[2 * RANKS_MAX];
    int n = 0;

    for (int j = 0; rank % 2 == 0 && j < ranks; j++)
        MPI_Irecv(&A[j], 1, MPI_DOUBLE, j, 0, MPI_COMM_WORLD, &requests[n++]);
    for (int i = 0; i < ranks; i += 2)
        MPI_Isend(&B[i], 1, MPI_DOUBLE, i, 0, MPI_COMM_WORLD, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void even_by_senders(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "A[j]@i <<= B[i]@j where i, j in world, i % two == 0 sender", A, B, two);
}

/* All that it depends on is known to be the same: the first call learns who sends. */
static void even_learned(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0 sender", A, B);
}

/* Messages of the next one have another tag. */
static void even_by_nbx(void)
{
    MPI_Request requests[RANKS_MAX], barrier = MPI_REQUEST_NULL;
    MPI_Status status;
    int n = 0, begun = 0, there, sent, over = 0, tag = turn++ % 2;

    for (int i = 0; i < ranks; i += 2)
        MPI_Issend(&B[i], 1, MPI_DOUBLE, i, tag, MPI_COMM_WORLD, &requests[n++]);
    while (!over) {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
        if (there)
            MPI_Recv(&A[status.MPI_SOURCE], 1, MPI_DOUBLE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (begun) {
            MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
        } else {
            MPI_Testall(n, requests, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                begun = 1;
            }
        }
    }
}

/* ---- collectives ---- */

static void bcast_by_statement(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "data[0 ... count]@i <<= data[0 ... count]@0 where i in world",
                   WM_SPAN(data, count * ranks), WM_UNIFORM(count));
}

static void bcast_by_hand(void)
{
    MPI_Bcast(data, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* Under a map, as an operation; else as messages. */
static void part_by_statement(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "data[0 ... count]@i <<= data[0 ... count]@0 where i in world, i % 2 == 0",
                   WM_SPAN(data, count * ranks), WM_UNIFORM(count));
}

static void part_by_hand(void)
{
    if (rank % 2 == 0)
        MPI_Bcast(data, count, MPI_DOUBLE, 0, part);
}

static void allreduce_by_statement(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "got[0 ... count]@i << max << data[0 ... count]@j where i, j in world",
                   WM_SPAN(got, count * ranks), WM_SPAN(data, count * ranks), WM_UNIFORM(count));
}

static void allreduce_by_hand(void)
{
    MPI_Allreduce(data, got, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void alltoall_by_statement(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD, "got[j]@i <<= data[i]@j where i, j in world", WM_UNIFORM(WM_GRID(got, ranks, count)),
                   WM_UNIFORM(WM_GRID(data, ranks, count)));
}

static void alltoall_by_hand(void)
{
    MPI_Alltoall(data, count, MPI_DOUBLE, got, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* ---- a halo: rows of `data` to six neighbours, into rows of `got` ---- */

static void halo_by_statement(void)
{
    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "halo: got[k]@(i + step[k] + 6 * ranks) % ranks <<= data[k]@i where i in world, k in {0 ... 6}",
                   WM_GRID(got, 6, count), WM_GRID(data, 6, count), WM_UNIFORM(step));
}

static void halo_by_hand(void)
{
    MPI_Startall(12, halo);
    MPI_Waitall(12, halo, MPI_STATUSES_IGNORE);
}

static void prepare_halo(void)
{
    for (int k = 0; k < 6; k++) {
        MPI_Recv_init(&got[k * count], count, MPI_DOUBLE, (rank - step[k] + 6 * ranks) % ranks, k, MPI_COMM_WORLD,
                      &halo[k]);
        MPI_Send_init(&data[k * count], count, MPI_DOUBLE, (rank + step[k] + 6 * ranks) % ranks, k, MPI_COMM_WORLD,
                      &halo[6 + k]);
    }
}

/* ---- measuring ---- */

/* us a call, of the slowest rank. */
static double time_us(void (*run)(void))
{
    double us, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    us = MPI_Wtime();
    for (int i = 0; i < TIMES; i++)
        run();
    us = (MPI_Wtime() - us) * 1e6 / TIMES;
    MPI_Allreduce(&us, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void compare_ways(const char *what, void (*by_statement)(void), void (*by_hand)(void))
{
    double statement[RUNS], hand[RUNS], ratio[RUNS], first = MPI_Wtime();

    by_statement();
    first = MPI_Wtime() - first;
    for (int run = -1; run < RUNS; run++) {
        double s = time_us(by_statement), h = time_us(by_hand);

        if (run >= 0) {
            statement[run] = s;
            hand[run] = h;
            ratio[run] = s / h;
        }
    }
    bench_median(ratio, RUNS);
    if (rank == 0)
        printf("%-34s %9.2f us by hand %9.2f  ratio %5.2f (%.2f to %.2f)  first call %7.0f us\n", what,
               bench_median(statement, RUNS), bench_median(hand, RUNS), ratio[RUNS / 2], ratio[1], ratio[RUNS - 2],
               first * 1e6);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        count = atoi(argv[1]);
    data = calloc((size_t)(count * (ranks + 6)), sizeof *data);
    got = calloc((size_t)(count * (ranks + 6)), sizeof *got);
    prepare_halo();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    if (rank == 0)
        printf("%d ranks, %d doubles\n", ranks, count);
    compare_ways("all to even, both ends know", even_by_statement, even_by_hand);
    compare_ways("all to even, senders know (NBX)", even_by_senders, even_by_nbx);
    compare_ways("all to even, learned, to NBX", even_learned, even_by_nbx);
    compare_ways("broadcast", bcast_by_statement, bcast_by_hand);
    compare_ways("broadcast to even ranks", part_by_statement, part_by_hand);
    compare_ways("allreduce", allreduce_by_statement, allreduce_by_hand);
    compare_ways("alltoall", alltoall_by_statement, alltoall_by_hand);
    compare_ways("halo of 6 neighbours", halo_by_statement, halo_by_hand);
    MPI_Finalize();
    return 0;
}
