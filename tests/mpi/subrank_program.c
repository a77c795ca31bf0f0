/* A program as users write them, with globals, for subranks and for ranks alike: heat on a rod that is cut among the
 * ranks, by sends and receives to the neighbours, against the same rod in one piece.
 *
 * subrank_program [FAULT]: rank 1 leaves before MPI_Finalize, by "exit" or "abort", or "waits" for ever. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 50, STEPS = 200 };

static int rank, size;
static double rod[EACH + 2], old[EACH + 2]; /* with the neighbours' ends */

static double at_first(int place)
{
    return (place * 37 % 101) / 101.0;
}

static void exchange_ends(void)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[2];

    MPI_Irecv(&rod[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&rod[EACH + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rod[1], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD);
    MPI_Send(&rod[EACH], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void step(double *now, const double *before, int count)
{
    for (int i = 1; i <= count; i++)
        now[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
}

/* Rank 0 makes all steps alone. */
static int differs(const double *gathered)
{
    int count = EACH * size, wrong = 0;
    double *now = calloc((size_t)count + 2, sizeof *now), *before = calloc((size_t)count + 2, sizeof *before);

    for (int i = 0; i < count; i++)
        now[i + 1] = at_first(i);
    for (int n = 0; n < STEPS; n++) {
        memcpy(before, now, ((size_t)count + 2) * sizeof *before);
        step(now, before, count);
    }
    for (int i = 0; i < count; i++)
        wrong += now[i + 1] != gathered[i];
    free(now);
    free(before);
    return wrong;
}

int main(int argc, char **argv)
{
    double *all, heat = 0, total, expected = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "exit") == 0 && rank == 1)
        exit(3);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (argc > 1 && strcmp(argv[1], "waits") == 0 && rank == 1)
        MPI_Probe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < EACH; i++)
        rod[i + 1] = at_first(rank * EACH + i);
    for (int n = 0; n < STEPS; n++) {
        exchange_ends();
        memcpy(old, rod, sizeof old);
        step(rod, old, EACH);
    }
    all = malloc((size_t)size * EACH * sizeof *all);
    MPI_Gather(rod + 1, EACH, MPI_DOUBLE, all, EACH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 1; i <= EACH; i++)
        heat += rod[i];
    MPI_Allreduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size * EACH; i++)
        expected += all[i];
    if (rank == 0)
        printf("%d ranks, %d wrong, heat %s\n", size, differs(all), fabs(total - expected) < 1e-9 ? "right" : "wrong");
    free(all);
    MPI_Finalize();
    return 0;
}
