/* Collectives for the tests of diff and top: calls end | late | hang FILE. Late, rank 1 comes to most calls 20 ms after
 * the others. Hanging, it never comes to the last allreduce; the ranks' process ids are in FILE.RANK by then. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS_MAX = 64 };

static int rank, late;

static void dawdle(void)
{
    struct timespec time = {0, 20000000};

    if (late && rank == 1)
        nanosleep(&time, NULL);
}

static void work(int times)
{
    static double values[8 * RANKS_MAX], results[8 * RANKS_MAX];

    for (int i = 0; i < times; i++) {
        dawdle();
        MPI_Allreduce(values, results, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(values, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        dawdle();
        MPI_Allgather(values, 8, MPI_DOUBLE, results, 8, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Alltoall(values, 8, MPI_DOUBLE, results, 8, MPI_DOUBLE, MPI_COMM_WORLD);
        dawdle();
        MPI_Gather(values, 8, MPI_DOUBLE, results, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Scatter(values, 8, MPI_DOUBLE, results, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Reduce_scatter_block(values, results, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static int say_pid(const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s.%d", name, rank);
    file = fopen(path, "w");
    if (file == NULL)
        return 1;
    fprintf(file, "%ld\n", (long)getpid());
    return fclose(file);
}

static void hang(const char *name)
{
    double value = 1, sum;

    if (say_pid(name) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    while (rank == 1)
        pause();
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    late = argc > 1 && strcmp(argv[1], "late") == 0;
    work(late ? 50 : 200);
    if (argc > 2 && strcmp(argv[1], "hang") == 0)
        hang(argv[2]);
    MPI_Finalize();
    return 0;
}
