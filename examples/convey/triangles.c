/* Triangle counting in a Kronecker graph, by elastic items.
 *
 * Row u of the graph's lower half lists the neighbours of u that are smaller than u, rising. A triangle u > v > w is
 * found at the rank that has v: it gets, for each edge from u to v, u's neighbours up to v, and counts those that are
 * v's as well. Lists differ in length, so items do: convey_epush takes them as they stand in the row, and convey_epull
 * shows them where they arrived. */
#include <mpi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "waymark/convey.h"
#include "examples/convey/dealt.h"
#include "examples/convey/kronecker.h"

/* How many numbers two rising lists share. */
static int64_t common(const int64_t *a, int64_t a_count, const int64_t *b, int64_t b_count)
{
    int64_t found = 0;

    while (a_count > 0 && b_count > 0) {
        int64_t x = *a, y = *b;

        found += x == y;
        a_count -= x <= y;
        a += x <= y;
        b_count -= y <= x;
        b += y <= x;
    }
    return found;
}

static int64_t row_common(const struct matrix *lower, int64_t place, const int64_t *list, int64_t count)
{
    int64_t begin = lower->start[place];

    return common(list, count, lower->column + begin, lower->start[place + 1] - begin);
}

/* An item is a piece of a row, from its beginning to v. */
static int64_t arrived(const struct job *job, const struct matrix *lower, convey_t *c)
{
    convey_item_t item;
    int64_t found = 0;

    while (convey_epull(c, &item) == convey_OK) {
        const int64_t *list = item.data;
        int64_t count = (int64_t)(item.bytes / sizeof *list) - 1;

        found += row_common(lower, dealt_place(job, list[count]), list, count);
    }
    return found;
}

static int64_t triangles(const struct job *job, const struct matrix *lower, convey_t *c)
{
    int64_t row = 0, at = 0, found = 0;

    while (convey_advance(c, row == lower->places) > convey_DONE) {
        for (; row < lower->places; row++) {
            const int64_t *list = lower->column + lower->start[row];
            int64_t count = lower->start[row + 1] - lower->start[row];

            /* The smallest neighbour closes no triangle: at > 0. */
            for (at = at > 0 ? at : 1; at < count; at++)
                if (convey_epush(c, (size_t)(at + 1) * sizeof *list, list, dealt_rank(job, list[at])) != convey_OK)
                    break;
            if (at < count)
                break;
            at = 0;
        }
        found += arrived(job, lower, c);
    }
    return found;
}

/* The items' bound: the longest row of all. */
static int64_t longest_row(const struct matrix *lower)
{
    int64_t longest = 1;

    for (int64_t row = 0; row < lower->places; row++)
        if (lower->start[row + 1] - lower->start[row] > longest)
            longest = lower->start[row + 1] - lower->start[row];
    return job_most(longest);
}

/* At rank 0, which has the whole graph for this. */
static int64_t serial_triangles(const struct job *job, const struct generator *g)
{
    struct job alone = {.name = job->name, .rank = 0, .ranks = 1};
    struct matrix lower;
    int64_t found = 0;

    matrix_make_alone(&lower, &alone, g);
    for (int64_t u = 0; u < lower.places; u++)
        for (int64_t at = lower.start[u]; at < lower.start[u + 1]; at++)
            found += row_common(&lower, lower.column[at], lower.column + lower.start[u], at - lower.start[u]);
    matrix_release(&lower);
    return found;
}

int main(int argc, char **argv)
{
    struct kronecker k = {.scale = 13, .degree = 8};
    const struct job_option options[] = {
        {"scale", "2 to this power is the number of vertices", &k.scale, 1, 40},
        {"degree", "edges of a vertex that are thrown", &k.degree, 1, 1 << 20},
        {.name = NULL},
    };
    struct job job = {.name = "triangles",
                      .summary = "Triangles in a Kronecker graph; rows of neighbours travel as elastic items.",
                      .examples = "  mpirun -n 2 triangles --scale 16\n"};
    struct generator g;
    struct matrix lower;
    convey_t *c;
    double seconds;
    int64_t found, edges, wrong = -1;

    MPI_Init(&argc, &argv);
    job_start(&job, options, argc, argv);
    k.seed = job.seed;
    g = kronecker_lower(&k);
    matrix_make(&lower, &job, &g);
    c = convey_new_elastic((size_t)longest_row(&lower) * sizeof(int64_t), SIZE_MAX, 0, NULL, 0);
    if (c == NULL || convey_begin(c, 1, sizeof(int64_t)) != convey_OK)
        job_give_up(&job, "there is no conveyor");
    seconds = job_seconds();
    found = triangles(&job, &lower, c);
    seconds = job_seconds() - seconds;
    convey_reset(c);
    convey_free(c);
    found = job_sum(found);
    edges = job_sum(lower.start[lower.places]);
    if (job_checks(&job, g.entries))
        wrong = job.rank == 0 && found != serial_triangles(&job, &g);
    if (job.rank == 0)
        printf("triangles: %" PRId64 " in a graph of %" PRId64 " edges\n", found, edges);
    matrix_release(&lower);
    return job_finish(&job, "edges", edges, seconds, wrong);
}
