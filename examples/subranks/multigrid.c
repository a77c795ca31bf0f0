/* Poisson's equation in a square by V-cycles of multigrid: ranks are a grid of two dimensions, each has a block of
 * every level, from the whole grid to the coarsest that still has a point at each rank. A cycle is a superblock that
 * enters itself, for the next coarser level. */
#include <mpi.h>
#include <string.h>
#include <waymark/superblock.h>
#include "examples/subranks/application.h"

enum { DIMENSIONS = 2, SIDES = 4, LEVELS_MAX = 24, SWEEPS = 2, SWEEPS_COARSEST = 16, MESSAGES = 2 * SIDES };

/* A level, as an array of high + 2 by wide + 2: a rim of one point is around the block. */
static struct multigrid_level {
    int high, wide;
    double *u, *next, *f; /* the unknown, where a sweep puts it, and the right side */
    MPI_Datatype column;
} levels[LEVELS_MAX];

static int coarsest, first[DIMENSIONS];
static int neighbours[SIDES]; /* above, below, to the left, to the right */

/* ---- the problem ---- */

static void begin_level(struct multigrid_level *l, int high, int wide)
{
    long points = (long)(high + 2) * (wide + 2);

    l->high = high, l->wide = wide;
    l->u = application_doubles(points);
    l->next = application_doubles(points);
    l->f = application_doubles(points);
    MPI_Type_vector(high, 1, wide + 2, MPI_DOUBLE, &l->column);
    MPI_Type_commit(&l->column);
}

/* How often the whole grid can be halved so that every rank has points of it, as many as its neighbours beside it. */
static int halvings(const int *grid)
{
    int count = 0, side = size;

    while (side % 2 == 0 && side / 2 % grid[0] == 0 && side / 2 % grid[1] == 0) {
        side /= 2;
        count++;
    }
    return count;
}

static const char *begin(void)
{
    static int coarsest_of_all = -1; /* who solves alone has the same levels */
    int grid[DIMENSIONS] = {0}, at[DIMENSIONS];
    struct multigrid_level *l = levels;

    MPI_Dims_create(ranks, DIMENSIONS, grid);
    application_place(DIMENSIONS, grid, at);
    if (size % grid[0] != 0 || size % grid[1] != 0)
        return "they are no multiple of the sides of the grid of ranks";
    if (coarsest_of_all < 0)
        coarsest_of_all = halvings(grid);
    coarsest = coarsest_of_all;
    for (int i = 0; i < SIDES; i++)
        neighbours[i] = application_beside(DIMENSIONS, grid, at, i / 2, i % 2 == 0 ? -1 : 1);
    for (int i = 0; i <= coarsest; i++)
        begin_level(&levels[i], (size >> i) / grid[0], (size >> i) / grid[1]);
    first[0] = at[0] * l->high, first[1] = at[1] * l->wide;
    for (int y = 0; y < l->high; y++)
        for (int x = 0; x < l->wide; x++)
            l->f[(y + 1) * (l->wide + 2) + x + 1] = application_random((long)(first[0] + y) * size + first[1] + x);
    return NULL;
}

/* ---- computation ---- */

/* f - A u. Points are as far apart on every level: f of the coarser one is four times as large. */
static inline double defect(const struct multigrid_level *l, long at)
{
    long row = l->wide + 2;
    const double *u = l->u + at;

    return l->f[at] - (4 * u[0] - u[-row] - u[row] - u[-1] - u[1]);
}

/* Damped sweep of a part of the block. */
static void sweep(struct multigrid_level *l, int top, int bottom, int left, int right)
{
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            long at = (long)y * (l->wide + 2) + x;

            l->next[at] = l->u[at] + 0.2 * defect(l, at);
        }
}

static void swap(struct multigrid_level *l)
{
    double *was = l->u;

    l->u = l->next, l->next = was;
}

/* A coarser point stands for four finer ones. */
static void restrict_defect(const struct multigrid_level *l, struct multigrid_level *coarser)
{
    long row = l->wide + 2;

    memset(coarser->u, 0, sizeof *coarser->u * (size_t)(coarser->high + 2) * (size_t)(coarser->wide + 2));
    for (int y = 1; y <= coarser->high; y++)
        for (int x = 1; x <= coarser->wide; x++) {
            long at = (2 * y - 1) * row + 2 * x - 1;

            coarser->f[y * (coarser->wide + 2) + x] =
                defect(l, at) + defect(l, at + 1) + defect(l, at + row) + defect(l, at + row + 1);
        }
}

/* Less than the whole of it: it is constant over four points, and overshoots beside the border. */
static void add_correction(struct multigrid_level *l, const struct multigrid_level *coarser)
{
    for (int y = 1; y <= l->high; y++)
        for (int x = 1; x <= l->wide; x++)
            l->u[y * (l->wide + 2) + x] += 0.75 * coarser->u[(y + 1) / 2 * (coarser->wide + 2) + (x + 1) / 2];
}

/* ---- messages ---- */

static double *point(const struct multigrid_level *l, int y, int x)
{
    return l->u + (long)y * (l->wide + 2) + x;
}

static void receive_rims(const struct multigrid_level *l, MPI_Request *requests)
{
    MPI_Irecv(point(l, 0, 1), l->wide, MPI_DOUBLE, neighbours[0], 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(point(l, l->high + 1, 1), l->wide, MPI_DOUBLE, neighbours[1], 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(point(l, 1, 0), 1, l->column, neighbours[2], 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(point(l, 1, l->wide + 1), 1, l->column, neighbours[3], 3, MPI_COMM_WORLD, &requests[3]);
}

static void send_edges(const struct multigrid_level *l, MPI_Request *requests)
{
    MPI_Isend(point(l, 1, 1), l->wide, MPI_DOUBLE, neighbours[0], 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(point(l, l->high, 1), l->wide, MPI_DOUBLE, neighbours[1], 0, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(point(l, 1, 1), 1, l->column, neighbours[2], 3, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(point(l, 1, l->wide), 1, l->column, neighbours[3], 2, MPI_COMM_WORLD, &requests[7]);
}

/* ---- variants ---- */

static void relax(struct multigrid_level *l, int sweeps)
{
    MPI_Request requests[MESSAGES];

    WM_SUPERBLOCK_BEGIN("relax");
    for (int i = 0; i < sweeps; i++) {
        WM_REGION(receive);
        receive_rims(l, requests);
        WM_REGION(send);
        send_edges(l, requests);
        WM_REGION(compute);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        sweep(l, 1, l->high + 1, 1, l->wide + 1);
        swap(l);
    }
    WM_SUPERBLOCK_END;
}

/* The points inside are swept while the rims travel. */
static void relax_overlapped(struct multigrid_level *l, int sweeps)
{
    MPI_Request requests[MESSAGES];

    for (int i = 0; i < sweeps; i++) {
        receive_rims(l, requests);
        send_edges(l, requests);
        sweep(l, 2, l->high, 2, l->wide);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        sweep(l, 1, 2, 1, l->wide + 1);
        sweep(l, l->high, l->high + 1, 1, l->wide + 1);
        sweep(l, 1, l->high + 1, 1, 2);
        sweep(l, 1, l->high + 1, l->wide, l->wide + 1);
        swap(l);
    }
}

typedef void relaxation(struct multigrid_level *l, int sweeps);

static void cycle(int level, relaxation *relaxes)
{
    struct multigrid_level *l = &levels[level];
    MPI_Request requests[MESSAGES];

    if (level == coarsest) {
        relaxes(l, SWEEPS_COARSEST);
        return;
    }
    WM_SUPERBLOCK_BEGIN("cycle");
    relaxes(l, SWEEPS);
    WM_REGION(receive);
    receive_rims(l, requests);
    WM_REGION(send);
    send_edges(l, requests);
    WM_REGION(compute);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    restrict_defect(l, l + 1);
    cycle(level + 1, relaxes);
    add_correction(l, l + 1);
    relaxes(l, SWEEPS);
    WM_SUPERBLOCK_END;
}

static void original(void)
{
    for (int i = 0; i < iterations; i++)
        cycle(0, relax);
}

static void overlap(void)
{
    for (int i = 0; i < iterations; i++)
        cycle(0, relax_overlapped);
}

/* ---- results ---- */

static long total(void)
{
    return (long)size * size;
}

static long count(void)
{
    return (long)levels[0].high * levels[0].wide;
}

static long place(long i)
{
    return (first[0] + i / levels[0].wide) * size + first[1] + i % levels[0].wide;
}

static double result(long i)
{
    return *point(&levels[0], (int)(i / levels[0].wide) + 1, (int)(i % levels[0].wide) + 1);
}

const struct application application = {
    .name = "multigrid",
    .sized = "points a side",
    .size = 192,
    .iterations = 10,
    .largest = 16384,
    .begin = begin,
    .original = original,
    .overlap = overlap,
    .total = total,
    .count = count,
    .place = place,
    .result = result,
};
