/* Conjugate gradients for Poisson's equation: each rank has ROWS rows of the grid, and before the matrix is applied it
 * gets the rows of its neighbours that lie next to them. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <waymark/communicate.h>
#include "examples/statements/ways.h"

enum { ROWS = 16, WIDTH = 64, STEPS_MAX = 400 };

typedef double line[WIDTH + 2];

static line d[ROWS + 2]; /* the direction, with a rim */

static void begin(void)
{
}

static void get_rim_by_mpi(void)
{
    /* communication by MPI */
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(d[ROWS], WIDTH + 2, MPI_DOUBLE, below, 0, d[0], WIDTH + 2, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(d[1], WIDTH + 2, MPI_DOUBLE, above, 0, d[ROWS + 1], WIDTH + 2, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    /* end */
}

static void get_rim_by_statement(void)
{
    int n = ROWS;

    /* communication by statement */
    WM_COMMUNICATE(MPI_COMM_WORLD, "rim: d[0]@i <<= d[n]@i - 1, d[n + 1]@i <<= d[1]@i + 1 where i in world",
                   WM_GRID(d, ROWS + 2, WIDTH + 2), WM_UNIFORM(n));
    /* end */
}

static double add_by_mpi(double part)
{
    /* communication by MPI */
    MPI_Allreduce(MPI_IN_PLACE, &part, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return part;
    /* end */
}

static double add_by_statement(double part)
{
    /* communication by statement */
    double sum = 0;

    WM_COMMUNICATE(MPI_COMM_WORLD, "sum@j << + << part@i where i, j in world", sum, part);
    return sum;
    /* end */
}

static void by_mpi(int turn)
{
    get_rim_by_mpi();
    add_by_mpi(turn);
    add_by_mpi(turn);
}

static void by_statement(int turn)
{
    get_rim_by_statement();
    add_by_statement(turn);
    add_by_statement(turn);
}

/* How one solves: with the rows of all in one place, there is nothing to communicate. */
struct solver {
    int rows;
    line *d; /* with a rim */
    void (*get_rim)(void);
    double (*add)(double part);
};

static void get_no_rim(void)
{
}

static double add_nothing(double part)
{
    return part;
}

static double dot(const struct solver *s, line *a, line *b)
{
    double sum = 0;

    for (int y = 1; y <= s->rows; y++)
        for (int x = 1; x <= WIDTH; x++)
            sum += a[y][x] * b[y][x];
    return s->add(sum);
}

/* to = to * by + from * times */
static void combine(const struct solver *s, line *to, double by, line *from, double times)
{
    for (int y = 1; y <= s->rows; y++)
        for (int x = 1; x <= WIDTH; x++)
            to[y][x] = to[y][x] * by + from[y][x] * times;
}

static void apply(const struct solver *s, line *to)
{
    line *p = s->d;

    s->get_rim();
    for (int y = 1; y <= s->rows; y++)
        for (int x = 1; x <= WIDTH; x++)
            to[y][x] = 4 * p[y][x] - p[y - 1][x] - p[y + 1][x] - p[y][x - 1] - p[y][x + 1];
}

static line *lines(int rows)
{
    return calloc((size_t)rows + 2, sizeof(line));
}

/* The first row of the rows is number `first` of all. */
static line *solve(const struct solver *s, int first)
{
    line *solution = lines(s->rows), *rest = lines(s->rows), *image = lines(s->rows);
    double now, before;

    memset(s->d, 0, sizeof(line) * (size_t)(s->rows + 2));
    for (int y = 1; y <= s->rows; y++)
        for (int x = 1; x <= WIDTH; x++)
            rest[y][x] = s->d[y][x] = ways_random(1, (unsigned)((first + y) * WIDTH + x), 100);
    now = dot(s, rest, rest);
    for (int step = 0; step < STEPS_MAX && now > 1e-12; step++) {
        double along;

        apply(s, image);
        along = now / dot(s, s->d, image);
        combine(s, solution, 1, s->d, along);
        combine(s, rest, 1, image, -along);
        before = now;
        now = dot(s, rest, rest);
        combine(s, s->d, now / before, rest, 1);
    }
    free(rest);
    free(image);
    return solution;
}

static long run(ways_communicate *communicate)
{
    struct solver alone = {ROWS * ranks, lines(ROWS * ranks), get_no_rim, add_nothing};
    struct solver together = {ROWS, d, get_rim_by_mpi, add_by_mpi};
    line *whole, *part;
    long wrong = 0;

    if (communicate == by_statement)
        together = (struct solver){ROWS, d, get_rim_by_statement, add_by_statement};
    whole = solve(&alone, 0);
    part = solve(&together, rank * ROWS);
    for (int y = 1; y <= ROWS; y++)
        for (int x = 1; x <= WIDTH; x++)
            wrong += !(fabs(part[y][x] - whole[rank * ROWS + y][x]) < 1e-6);
    free(part);
    free(whole);
    free(alone.d);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct ways cg = {"cg", "a rim of rows and two sums", begin, by_mpi, by_statement, run, 100};

    return ways_main(&cg, argc, argv);
}
