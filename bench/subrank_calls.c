/* What calls of MPI cost between two ranks, by turns, and among all: medians. With subranks or without:
 *
 *     waymark cc -O2 -o subrank_calls subrank_calls.c
 *     mpirun -n 1 waymark run --subranks 2 -- ./subrank_calls
 *     mpirun -n 2 ./subrank_calls
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 15, LARGEST = 1 << 20 };

static int rank, ranks;
static char *data, *got;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* There and back; ranks from the third on have no part. */
static void to_and_fro(int bytes)
{
    if (rank == 0) {
        MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(got, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(got, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

/* Both at once. */
static void exchange(int bytes)
{
    MPI_Request requests[2];

    if (rank > 1)
        return;
    MPI_Irecv(got, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* … by one call. */
static void send_and_receive(int bytes)
{
    if (rank <= 1)
        MPI_Sendrecv(data, bytes, MPI_BYTE, 1 - rank, 0, got, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void sum(int bytes)
{
    MPI_Allreduce(data, got, bytes / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void meet(int bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void tell(int bytes)
{
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* What all calls have in common: a measure of the machine for the others. */
static void ask(int bytes)
{
    int provided;

    (void)bytes;
    MPI_Query_thread(&provided);
}

static void copy(int bytes)
{
    memcpy(got, data, (size_t)bytes);
    __asm__ volatile("" ::"r"(got) : "memory");
}

/* `parts`: so many make one of what is printed. */
static void measure(const char *what, void (*run)(int bytes), int bytes, int parts)
{
    double ns[RUNS];
    int times = bytes < 1 << 16 ? 20000 : 200;

    for (int i = 0; i < RUNS; i++) {
        double begin;

        MPI_Barrier(MPI_COMM_WORLD);
        begin = MPI_Wtime();
        for (int k = 0; k < times; k++)
            run(bytes);
        ns[i] = (MPI_Wtime() - begin) * 1e9 / times / parts;
    }
    qsort(ns, RUNS, sizeof *ns, compare);
    if (rank == 0)
        printf("%-26s %8d B %12.1f ns\n", what, bytes, ns[RUNS / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    data = calloc(LARGEST, 1);
    got = calloc(LARGEST, 1);
    if (rank == 0)
        printf("%d ranks\n", ranks);
    for (int bytes = 8; ranks > 1 && bytes <= LARGEST; bytes *= bytes < 1024 ? 128 : 1024) {
        measure("one way", to_and_fro, bytes, 2);
        measure("each of two at once", exchange, bytes, 2);
        measure("each of two by MPI_Sendrecv", send_and_receive, bytes, 2);
        measure("a copy alone", copy, bytes, 1);
    }
    measure("allreduce", sum, 8, 1);
    measure("bcast", tell, 8, 1);
    measure("barrier", meet, 0, 1);
    measure("a call that asks", ask, 0, 1);
    MPI_Finalize();
    return 0;
}
