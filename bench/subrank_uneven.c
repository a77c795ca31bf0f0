/* Unequal work of subranks: those of the first half compute three times as long between barriers as the others. Prints
 * the median of an iteration; run it with --workers 2, with and without --steal. */
#include <mpi.h>
#include <stdio.h>
#include "bench/sample.h"

enum { ITERATIONS = 41, TURNS = 400000 };

static void compute(int units)
{
    volatile double value = 1;

    for (int i = 0; i < units * TURNS; i++)
        value = value * 1.0000001;
}

int main(int argc, char **argv)
{
    double times[ITERATIONS];
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ITERATIONS; i++) {
        double begin = MPI_Wtime();

        compute(rank < size / 2 ? 3 : 1);
        MPI_Barrier(MPI_COMM_WORLD);
        times[i] = MPI_Wtime() - begin;
    }
    if (rank == 0)
        printf("%d ranks, unequal: %.2f ms an iteration\n", size, bench_median(times, ITERATIONS) * 1e3);
    MPI_Finalize();
    return 0;
}
