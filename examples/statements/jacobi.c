/* Heat in a plate, by Jacobi's iteration: ranks are a grid, each has a square of the plate with a rim around it, and
 * before each step the rims get the neighbours' outermost rows and columns. */
#include <mpi.h>
#include <stdlib.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { N = 64, STEPS = 20 };

typedef double line[N + 2];

static line squares[2][N + 2];
static line *now = squares[0];
static int high, wide; /* ranks: rank i is in row i / wide, column i % wide */

/* communication by MPI */
static MPI_Datatype column;
static int north, south, west, east;

static void find_neighbours(void)
{
    north = rank >= wide ? rank - wide : MPI_PROC_NULL;
    south = rank + wide < ranks ? rank + wide : MPI_PROC_NULL;
    west = rank % wide > 0 ? rank - 1 : MPI_PROC_NULL;
    east = (rank + 1) % wide > 0 ? rank + 1 : MPI_PROC_NULL;
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
}
/* end */

static void begin(void)
{
    int sides[2] = {0, 0};

    MPI_Dims_create(ranks, 2, sides);
    high = sides[0], wide = sides[1];
    find_neighbours();
}

static void by_mpi(int turn)
{
    (void)turn;
    /* communication by MPI */
    MPI_Request requests[8];

    MPI_Irecv(&now[0][1], N, MPI_DOUBLE, north, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&now[N + 1][1], N, MPI_DOUBLE, south, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&now[1][0], 1, column, west, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&now[1][N + 1], 1, column, east, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(&now[N][1], N, MPI_DOUBLE, south, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(&now[1][1], N, MPI_DOUBLE, north, 1, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(&now[1][N], 1, column, east, 2, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(&now[1][1], 1, column, west, 3, MPI_COMM_WORLD, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    /* end */
}

static void by_statement(int turn)
{
    int n = N + 1;

    (void)turn;
    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD,
                   "halo: now[0][1 ... n]@i <<= now[n - 1][1 ... n]@i - wide,"
                   "      now[n][1 ... n]@i <<= now[1][1 ... n]@i + wide,"
                   "      now[1 ... n][0]@i <<= now[1 ... n][n - 1]@i % wide > 0 ? i - 1 : -1,"
                   "      now[1 ... n][n]@i <<= now[1 ... n][1]@(i + 1) % wide > 0 ? i + 1 : -1 where i in world",
                   WM_GRID(now, N + 2, N + 2), WM_UNIFORM(n), WM_UNIFORM(wide));
    /* end */
}

/* The heat before the first step; around the plate it stays as it is. */
static double heat(int y, int x)
{
    return ways_random(1, (unsigned)(y * 1000 + x), 100);
}

static double mean(double a, double b, double c, double d)
{
    return (a + b + c + d) / 4;
}

/* The whole plate after all steps, by this rank alone. */
static double *solve_alone(int width, int height)
{
    size_t points = (size_t)width * (size_t)height;
    double *was = malloc(points * sizeof *was), *is = malloc(points * sizeof *is), *swapped;

    for (int i = 0; i < width * height; i++)
        was[i] = is[i] = heat(i / width, i % width);
    for (int turn = 0; turn < STEPS; turn++) {
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                double *at = was + y * width + x;

                is[y * width + x] = mean(at[-width], at[width], at[-1], at[1]);
            }
        swapped = was, was = is, is = swapped;
    }
    free(is);
    return was;
}

static void step(int turn)
{
    line *next = squares[(turn + 1) % 2];

    for (int y = 1; y <= N; y++)
        for (int x = 1; x <= N; x++)
            next[y][x] = mean(now[y - 1][x], now[y + 1][x], now[y][x - 1], now[y][x + 1]);
    now = next;
}

static long run(ways_communicate *communicate)
{
    int width = wide * N + 2, top = rank / wide * N, left = rank % wide * N;
    double *plate = solve_alone(width, high * N + 2);
    long wrong = 0;

    for (int i = 0; i < (N + 2) * (N + 2); i++) {
        int y = i / (N + 2), x = i % (N + 2);

        squares[0][y][x] = squares[1][y][x] = heat(top + y, left + x);
    }
    now = squares[0];
    for (int turn = 0; turn < STEPS; turn++) {
        communicate(turn);
        step(turn);
    }
    for (int y = 1; y <= N; y++)
        for (int x = 1; x <= N; x++)
            wrong += now[y][x] != plate[(top + y) * width + left + x];
    free(plate);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways jacobi = {"jacobi", "rims of squares of 64 by 64", begin, by_mpi, by_statement, run, 100};

    return ways_main(&jacobi, argc, argv);
}
