/* What the examples share beside the communication: the arguments, the result in a line, and the time of both ways. */
#include "examples/statements/ways.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEASUREMENTS = 21 };

int rank, ranks;

int ways_random(unsigned seed, unsigned index, int end)
{
    uint64_t x = ((uint64_t)seed << 32 | index) + UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((x ^ x >> 31) % (unsigned)end);
}

static long run(const struct ways *w, ways_communicate *communicate, const char *by)
{
    long wrong = w->run(communicate);

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && wrong > 0)
        fprintf(stderr, "%s: by %s: %ld results differ from the serial answer\n", w->name, by, wrong);
    if (rank == 0)
        printf("%s: %d ranks, by %s, %s; %s\n", w->name, ranks, by, w->what, wrong > 0 ? "wrong" : "right");
    return wrong;
}

/* Microseconds a step, at the rank that takes longest. */
static double measure(const struct ways *w, ways_communicate *communicate)
{
    double begin, us;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int turn = 0; turn < w->steps; turn++)
        communicate(turn);
    us = (MPI_Wtime() - begin) * 1e6 / w->steps;
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return us;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void compare_times(const struct ways *w)
{
    double mpi[MEASUREMENTS], statement[MEASUREMENTS];

    for (int i = 0; i < MEASUREMENTS; i++) {
        mpi[i] = measure(w, w->mpi);
        statement[i] = measure(w, w->statement);
    }
    qsort(mpi, MEASUREMENTS, sizeof *mpi, by_value);
    qsort(statement, MEASUREMENTS, sizeof *statement, by_value);
    if (rank == 0)
        printf("%s: %d ranks, %s: %.1f us by mpi, %.1f us by statement\n", w->name, ranks, w->what,
               mpi[MEASUREMENTS / 2], statement[MEASUREMENTS / 2]);
}

int ways_main(const struct ways *w, int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    long wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2 || (argc > 1 && strcmp(which, "mpi") && strcmp(which, "statement") && strcmp(which, "--time"))) {
        if (rank == 0)
            fprintf(stderr, "usage: %s [mpi | statement | --time]\n", w->name);
        MPI_Finalize();
        return 2;
    }
    w->begin();
    if (strcmp(which, "statement") != 0)
        wrong += run(w, w->mpi, "mpi");
    if (strcmp(which, "mpi") != 0)
        wrong += run(w, w->statement, "statement");
    if (strcmp(which, "--time") == 0)
        compare_times(w);
    MPI_Finalize();
    return wrong > 0;
}
