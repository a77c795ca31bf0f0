/* Heat in a cube, by Jacobi's iteration of 7 points: ranks are a grid of three dimensions, each has a block with a rim
 * around it, which gets the neighbours' outermost layers before each step. */
#include <limits.h>
#include <mpi.h>
#include <waymark/superblock.h>
#include "examples/subranks/application.h"
#include "examples/subranks/exact.h"

enum { DIMENSIONS = 3, SIDES = 2 * DIMENSIONS };

/* Points from low to below high, in this rank's block: 0 is the rim, 1 to n are its own. */
struct jacobi_box {
    int low[DIMENSIONS], high[DIMENSIONS];
};

static struct jacobi_side {
    int neighbour;
    struct jacobi_box layer, rim; /* what goes there, and what comes from there */
    double *out, *in; /* NULL: layers of z lie together, rims of their lines included, which nobody reads there */
} sides[SIDES];

static int first[DIMENSIONS], n[DIMENSIONS]; /* of z, y, x; the last is contiguous */
static long plane, line;
static double *now, *next;

static double heat_at_first(int z, int y, int x)
{
    return application_random(((long)z * (size + 2) + y) * (size + 2) + x);
}

static inline double heat(const double *at, long to_z, long to_y)
{
    return 0.4 * at[0] + 0.1 * (at[-1] + at[1] + at[-to_y] + at[to_y] + at[-to_z] + at[to_z]);
}

static void sweep(const struct jacobi_box *box)
{
    for (int z = box->low[0]; z < box->high[0]; z++)
        for (int y = box->low[1]; y < box->high[1]; y++) {
            const double *restrict from = now + z * plane + y * line;
            double *restrict to = next + z * plane + y * line;

            for (int x = box->low[2]; x < box->high[2]; x++)
                to[x] = heat(from + x, plane, line);
        }
}

static void swap(void)
{
    double *was = now;

    now = next, next = was;
}

/* What part of the whole problem's points lies in it. */
static double share(const struct jacobi_box *box)
{
    double points = 1;

    for (int d = 0; d < DIMENSIONS; d++)
        points *= box->high[d] > box->low[d] ? (double)(box->high[d] - box->low[d]) / size : 0;
    return points;
}

/* ---- the problem ---- */

static struct jacobi_box whole_block(void)
{
    return (struct jacobi_box){.low = {1, 1, 1}, .high = {n[0] + 1, n[1] + 1, n[2] + 1}};
}

static int points(int side)
{
    return side / 2 == 0 ? (int)((n[1] - 1) * line) + n[2] : n[0] * n[1] * n[2] / n[side / 2];
}

static void begin_side(int i, const int *grid, const int *at)
{
    struct jacobi_side *side = &sides[i];
    int dimension = i / 2;

    side->neighbour = application_beside(DIMENSIONS, grid, at, dimension, i % 2 == 0 ? -1 : 1);
    side->layer = side->rim = whole_block();
    side->layer.low[dimension] = i % 2 == 0 ? 1 : n[dimension];
    side->layer.high[dimension] = side->layer.low[dimension] + 1;
    side->rim.low[dimension] = i % 2 == 0 ? 0 : n[dimension] + 1;
    side->rim.high[dimension] = side->rim.low[dimension] + 1;
    if (dimension > 0) {
        side->out = application_doubles(points(i));
        side->in = application_doubles(points(i));
    }
}

/* The grid of ranks with the cheapest cuts, by what of theirs lies together in memory: layers, lines or points. Returns
 * false: there are more ranks than points. */
static bool choose_grid(int *grid)
{
    int least = INT_MAX;

    for (int z = 1; z <= ranks && z <= size; z++)
        for (int y = 1; y <= ranks / z && y <= size; y++) {
            int x = ranks / z / y, cost = (z - 1) + 2 * (y - 1) + 4 * (x - 1);

            if (z * y * x != ranks || x > size || cost > least)
                continue;
            least = cost;
            grid[0] = z, grid[1] = y, grid[2] = x;
        }
    return least < INT_MAX;
}

static const char *begin(void)
{
    int grid[DIMENSIONS], at[DIMENSIONS];

    if (!choose_grid(grid))
        return "each rank needs a point";
    application_place(DIMENSIONS, grid, at);
    for (int d = 0; d < DIMENSIONS; d++) {
        first[d] = application_first(size, grid[d], at[d]);
        n[d] = application_first(size, grid[d], at[d] + 1) - first[d];
    }
    line = n[2] + 2, plane = (n[1] + 2) * line;
    now = application_doubles((n[0] + 2) * plane);
    next = application_doubles((n[0] + 2) * plane);
    for (int z = 0; z < n[0] + 2; z++)
        for (int y = 0; y < n[1] + 2; y++)
            for (int x = 0; x < n[2] + 2; x++)
                now[z * plane + y * line + x] = next[z * plane + y * line + x] =
                    heat_at_first(first[0] + z, first[1] + y, first[2] + x);
    for (int i = 0; i < SIDES; i++)
        begin_side(i, grid, at);
    return NULL;
}

/* ---- messages ---- */

static void pack(const struct jacobi_side *side)
{
    const struct jacobi_box *box = &side->layer;
    double *to = side->out;

    for (int z = box->low[0]; z < box->high[0]; z++)
        for (int y = box->low[1]; y < box->high[1]; y++)
            for (int x = box->low[2]; x < box->high[2]; x++)
                *to++ = now[z * plane + y * line + x];
}

static void unpack(const struct jacobi_side *side)
{
    const struct jacobi_box *box = &side->rim;
    const double *from = side->in;

    for (int z = box->low[0]; z < box->high[0]; z++)
        for (int y = box->low[1]; y < box->high[1]; y++)
            for (int x = box->low[2]; x < box->high[2]; x++)
                now[z * plane + y * line + x] = *from++;
}

static double *first_of(const struct jacobi_box *box)
{
    return now + box->low[0] * plane + box->low[1] * line + box->low[2];
}

static void receive_rims(MPI_Request *requests)
{
    for (int i = 0; i < SIDES; i++)
        MPI_Irecv(sides[i].in != NULL ? sides[i].in : first_of(&sides[i].rim), points(i), MPI_DOUBLE,
                  sides[i].neighbour, i ^ 1, MPI_COMM_WORLD, &requests[i]);
}

static void send_layers(MPI_Request *requests)
{
    for (int i = 0; i < SIDES; i++) {
        if (sides[i].out != NULL && sides[i].neighbour != MPI_PROC_NULL)
            pack(&sides[i]);
        MPI_Isend(sides[i].out != NULL ? sides[i].out : first_of(&sides[i].layer), points(i), MPI_DOUBLE,
                  sides[i].neighbour, i, MPI_COMM_WORLD, &requests[i]);
    }
}

static void fill_rims(void)
{
    for (int i = 0; i < SIDES; i++)
        if (sides[i].in != NULL && sides[i].neighbour != MPI_PROC_NULL)
            unpack(&sides[i]);
}

/* ---- variants ---- */

static void original(void)
{
    const struct jacobi_box whole = whole_block();
    MPI_Request requests[2 * SIDES];
    double begin;

    WM_SUPERBLOCK_BEGIN("jacobi");
    for (int i = 0; i < iterations; i++) {
        WM_REGION(receive);
        receive_rims(requests);
        WM_REGION(send);
        send_layers(requests + SIDES);
        WM_REGION(compute);
        MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
        fill_rims();
        begin = exact_begin();
        sweep(&whole);
        exact_end(begin, share(&whole));
        swap();
    }
    WM_SUPERBLOCK_END;
}

/* The outermost layers, each point once where there are at least two layers. */
static void sweep_layers(struct jacobi_box inside)
{
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        struct jacobi_box low = inside, high = inside;

        low.low[d] = 1, low.high[d] = 2;
        high.low[d] = n[d], high.high[d] = n[d] + 1;
        sweep(&low);
        sweep(&high);
        inside.low[d] = 1, inside.high[d] = n[d] + 1;
    }
}

static void overlap(void)
{
    const struct jacobi_box whole = whole_block();
    struct jacobi_box inside = whole;
    MPI_Request requests[2 * SIDES];
    double begin;

    for (int d = 0; d < DIMENSIONS; d++)
        inside.low[d]++, inside.high[d]--;
    for (int i = 0; i < iterations; i++) {
        receive_rims(requests);
        send_layers(requests + SIDES);
        begin = exact_begin();
        sweep(&inside);
        exact_end(begin, share(&inside));
        MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
        fill_rims();
        begin = exact_begin();
        sweep_layers(inside);
        exact_end(begin, share(&whole) - share(&inside));
        swap();
    }
}

/* ---- results ---- */

static long total(void)
{
    return (long)size * size * size;
}

static long count(void)
{
    return (long)n[0] * n[1] * n[2];
}

static long place(long i)
{
    long z = i / n[2] / n[1], y = i / n[2] % n[1], x = i % n[2];

    return ((first[0] + z) * size + first[1] + y) * size + first[2] + x;
}

static double result(long i)
{
    return now[(i / n[2] / n[1] + 1) * plane + (i / n[2] % n[1] + 1) * line + i % n[2] + 1];
}

const struct application application = {
    .name = "jacobi",
    .sized = "points a side",
    .size = 64,
    .iterations = 20,
    .largest = 1024,
    .is_exact = true,
    .begin = begin,
    .original = original,
    .overlap = overlap,
    .total = total,
    .count = count,
    .place = place,
    .result = result,
};
