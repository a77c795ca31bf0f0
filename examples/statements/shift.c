/* Circular shift: what a rank has goes to the next one, and from the last one to the first. */
#include <mpi.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { COUNT = 4096 };

static double here[COUNT], there[COUNT];
static double *before = here, *after = there;

static void begin(void)
{
}

static void by_mpi(int turn)
{
    (void)turn;
    /* communication by MPI */
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;

    MPI_Sendrecv(before, COUNT, MPI_DOUBLE, next, 0, after, COUNT, MPI_DOUBLE, last, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    /* end */
}

static void by_statement(int turn)
{
    (void)turn;
    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD, "after@(i + 1) % ranks <<= before@i where i in world", WM_SPAN(after, COUNT),
                   WM_SPAN(before, COUNT));
    /* end */
}

static long run(ways_communicate *communicate)
{
    int steps = ranks + 1, origin = (rank + ranks - 1) % ranks;
    long wrong = 0;

    for (int i = 0; i < COUNT; i++)
        before[i] = rank + i * 0.5;
    for (int turn = 0; turn < steps; turn++) {
        double *was = before;

        communicate(turn);
        before = after, after = was;
    }
    for (int i = 0; i < COUNT; i++)
        wrong += before[i] != origin + i * 0.5;
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways shift = {"shift", "4096 doubles", begin, by_mpi, by_statement, run, 100};

    return ways_main(&shift, argc, argv);
}
