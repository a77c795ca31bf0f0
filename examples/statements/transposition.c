/* Transposition of a matrix of which each rank has N rows, and of the result, too. */
#include <mpi.h>
#include <stdlib.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { N = 64 };

static int width; /* of the matrix: N rows a rank */
static double *from, *to;

static void begin(void)
{
    width = N * ranks;
    from = calloc((size_t)(N * width), sizeof *from);
    to = calloc((size_t)(N * width), sizeof *to);
}

static void by_mpi(int turn)
{
    (void)turn;
    /* communication by MPI */
    static double *packed, *came;

    if (packed == NULL) {
        packed = malloc(sizeof *packed * (size_t)(N * width));
        came = malloc(sizeof *came * (size_t)(N * width));
    }
    for (int r = 0; r < ranks; r++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                packed[(r * N + x) * N + y] = from[y * width + r * N + x];
    MPI_Alltoall(packed, N * N, MPI_DOUBLE, came, N * N, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        for (int x = 0; x < N; x++)
            for (int y = 0; y < N; y++)
                to[x * width + r * N + y] = came[(r * N + x) * N + y];
    /* end */
}

static void by_statement(int turn)
{
    int n = N;

    (void)turn;
    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "to[k][n * i ... n * (i + 1)]@j <<= from[0 ... n][n * j + k]@i"
                   " where i, j in world, k in {0 ... n}",
                   WM_UNIFORM(WM_GRID(from, N, width)), WM_UNIFORM(WM_GRID(to, N, width)), WM_UNIFORM(n));
    /* end */
}

static long run(ways_communicate *communicate)
{
    long wrong = 0;

    for (int turn = 0; turn < 3; turn++) {
        for (int y = 0; y < N; y++)
            for (int x = 0; x < width; x++)
                from[y * width + x] = (rank * N + y) * 1000 + x + turn;
        communicate(turn);
        for (int x = 0; x < N; x++)
            for (int y = 0; y < width; y++)
                wrong += to[x * width + y] != y * 1000 + rank * N + x + turn;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways transposition = {"transposition", "64 rows a rank", begin, by_mpi, by_statement, run, 40};

    return ways_main(&transposition, argc, argv);
}
