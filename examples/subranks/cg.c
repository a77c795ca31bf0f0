/* The equation of heat at rest in a plate, by conjugate gradients: ranks have some rows each. An iteration takes a row
 * from each neighbour, and two sums over all ranks.
 *
 * The rows are dealt into groups, which are ranks' as a whole. What is summed over the ranks is each group's part, of
 * which all ranks but one have zero: so the parts, which are added in their order, do not depend on the number of
 * ranks. */
#include <mpi.h>
#include <string.h>
#include <waymark/superblock.h>
#include "examples/subranks/application.h"

enum { GROUPS = 64, MESSAGES = 4 };

static int first_group, groups, first, n; /* of this rank; n rows */
static int above, below;
static double *x, *r, *d, *q; /* solution, residual, direction, and A times it; d has a row more on both sides */
static double sums[GROUPS];   /* what an allreduce is about */

static inline double times_a(const double *at, long row, bool leftmost, bool rightmost)
{
    return 4.1 * at[0] - at[-row] - at[row] - (leftmost ? 0 : at[-1]) - (rightmost ? 0 : at[1]);
}

static inline double product_of(const double *u, const double *v, long count)
{
    double sum = 0;

    for (long i = 0; i < count; i++)
        sum += u[i] * v[i];
    return sum;
}

/* Rows y from `begin` to below `end` of q; row 0 of d is the neighbour's. */
static void multiply_rows(int begin, int end)
{
    for (int y = begin; y < end; y++) {
        const double *from = d + (long)(y + 1) * size;
        double *to = q + (long)y * size;

        to[0] = times_a(from, size, true, size == 1);
        for (int i = 1; i < size - 1; i++)
            to[i] = times_a(from + i, size, false, false);
        if (size > 1)
            to[size - 1] = times_a(from + size - 1, size, false, true);
    }
}

/* The parts of u times v that are this rank's. */
static void begin_sums(const double *u, const double *v)
{
    memset(sums, 0, sizeof sums);
    for (int g = first_group; g < first_group + groups; g++) {
        long from = (long)(application_first(size, GROUPS, g) - first) * size;
        long to = (long)(application_first(size, GROUPS, g + 1) - first) * size;

        sums[g] = product_of(u + from, v + from, to - from);
    }
}

static double end_sums(void)
{
    double sum = 0;

    for (int g = 0; g < GROUPS; g++)
        sum += sums[g];
    return sum;
}

static void step_along(double alpha)
{
    for (long i = 0; i < (long)n * size; i++) {
        x[i] += alpha * d[size + i];
        r[i] -= alpha * q[i];
    }
}

static void turn_direction(double beta)
{
    for (long i = 0; i < (long)n * size; i++)
        d[size + i] = r[i] + beta * d[size + i];
}

/* ---- the problem ---- */

static const char *begin(void)
{
    if (ranks > GROUPS || size < GROUPS)
        return "rows are dealt into 64 groups, and groups to ranks";
    first_group = application_first(GROUPS, ranks, rank);
    groups = application_first(GROUPS, ranks, rank + 1) - first_group;
    first = application_first(size, GROUPS, first_group);
    n = application_first(size, GROUPS, first_group + groups) - first;
    above = rank > 0 ? application_neighbour(rank - 1) : MPI_PROC_NULL;
    below = rank < ranks - 1 ? application_neighbour(rank + 1) : MPI_PROC_NULL;
    x = application_doubles((long)n * size), q = application_doubles((long)n * size);
    r = application_doubles((long)n * size), d = application_doubles((long)(n + 2) * size);
    for (long i = 0; i < (long)n * size; i++)
        r[i] = d[size + i] = application_random((long)first * size + i) - 0.5;
    return NULL;
}

/* ---- messages ---- */

static void receive_rows(MPI_Request *requests)
{
    MPI_Irecv(d, size, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(d + (long)(n + 1) * size, size, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[1]);
}

static void send_rows(MPI_Request *requests)
{
    MPI_Isend(d + size, size, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(d + (long)n * size, size, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[3]);
}

/* ---- variants ---- */

/* r times r before the first iteration. */
static double first_product(void)
{
    MPI_Request request;

    begin_sums(r, r);
    application_allreduce(sums, GROUPS, MPI_SUM, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return end_sums();
}

static void original(void)
{
    double rr = first_product(), was;
    MPI_Request requests[MESSAGES], sum;

    WM_SUPERBLOCK_BEGIN("cg");
    for (int i = 0; i < iterations; i++) {
        WM_REGION(receive);
        receive_rows(requests);
        WM_REGION(send);
        send_rows(requests);
        WM_REGION(compute);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        multiply_rows(0, n);
        begin_sums(d + size, q);
        WM_REGION(send);
        application_allreduce(sums, GROUPS, MPI_SUM, &sum);
        WM_REGION(compute);
        MPI_Wait(&sum, MPI_STATUS_IGNORE);
        step_along(rr / end_sums());
        begin_sums(r, r);
        WM_REGION(send);
        application_allreduce(sums, GROUPS, MPI_SUM, &sum);
        WM_REGION(compute);
        MPI_Wait(&sum, MPI_STATUS_IGNORE);
        was = rr, rr = end_sums();
        turn_direction(rr / was);
    }
    WM_SUPERBLOCK_END;
}

/* The rows inside are multiplied while the rows of others travel; for the sums there is nothing to hide behind. */
static void overlap(void)
{
    double rr = first_product(), was;
    MPI_Request requests[MESSAGES], sum;

    for (int i = 0; i < iterations; i++) {
        receive_rows(requests);
        send_rows(requests);
        multiply_rows(1, n - 1);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        multiply_rows(0, 1);
        multiply_rows(n - 1, n);
        begin_sums(d + size, q);
        application_allreduce(sums, GROUPS, MPI_SUM, &sum);
        MPI_Wait(&sum, MPI_STATUS_IGNORE);
        step_along(rr / end_sums());
        begin_sums(r, r);
        application_allreduce(sums, GROUPS, MPI_SUM, &sum);
        MPI_Wait(&sum, MPI_STATUS_IGNORE);
        was = rr, rr = end_sums();
        turn_direction(rr / was);
    }
}

/* ---- results ---- */

static long total(void)
{
    return (long)size * size;
}

static long count(void)
{
    return (long)n * size;
}

static long place(long i)
{
    return (long)first * size + i;
}

static double result(long i)
{
    return x[i];
}

const struct application application = {
    .name = "cg",
    .sized = "points a side",
    .size = 128,
    .iterations = 30,
    .largest = 16384,
    .begin = begin,
    .original = original,
    .overlap = overlap,
    .total = total,
    .count = count,
    .place = place,
    .result = result,
};
