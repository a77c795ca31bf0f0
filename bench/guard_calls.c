/* Allreduces of 8 bytes for so many seconds: prints the median of the batches, ns a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 1000, BATCHES_MOST = 1 << 20 };

static double batches[BATCHES_MOST];

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static double batch(void)
{
    double in = 1, out, begin = MPI_Wtime();

    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (MPI_Wtime() - begin) / CALLS * 1e9;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1, begin;
    int rank, count = 0, going = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin = MPI_Wtime();
    while (going) {
        batches[count++] = batch();
        going = count < BATCHES_MOST && MPI_Wtime() - begin < seconds;
        MPI_Bcast(&going, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    qsort(batches, (size_t)count, sizeof *batches, compare);
    if (rank == 0)
        printf("%.1f\n", batches[count / 2]);
    MPI_Finalize();
    return 0;
}
