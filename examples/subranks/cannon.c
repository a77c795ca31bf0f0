/* Products of square matrices by Cannon's algorithm, in two dimensions: ranks are a grid of p by q, where q is a
 * multiple of p. A rank has a block of each factor and one of the product. In each of q steps it multiplies what fits
 * together; its block of A moves to the left after each step, that of B, which is q / p times as high, upwards after
 * each q / p.
 *
 * The factors consist of small integers, so that sums are exact in any order. */
#include <mpi.h>
#include <waymark/superblock.h>
#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif
#include "examples/subranks/application.h"
#include "examples/subranks/exact.h"

enum { MESSAGES = 4 }; /* A and B, out and in */

static int p, q, row, column;
static int high, wide; /* of the rank's product; a block of A is `high` by `wide` */
static int left, right, up, down;
static double *a, *a_next, *b, *b_next, *product;

/* to += first * second: h by w, of factors that have k columns, and rows, in common. All are contiguous. */
static void multiply(double *to, const double *first, const double *second, int h, int w, int k)
{
#ifdef HAVE_OPENBLAS
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, h, w, k, 1, first, k, second, w, 1, to, w);
#else
    for (int i = 0; i < h; i++)
        for (int j = 0; j < k; j++)
            for (int x = 0; x < w; x++)
                to[(long)i * w + x] += first[(long)i * k + j] * second[(long)j * w + x];
#endif
}

/* Element (y, x) of a factor: of A, or of B. */
static double element(int factor, int y, int x)
{
    return (double)(int)(application_random(((long)factor * size + y) * size + x) * 9) - 4;
}

/* ---- the problem ---- */

static void find_neighbours(void)
{
    left = application_neighbour(row * q + (column + q - 1) % q);
    right = application_neighbour(row * q + (column + 1) % q);
    up = application_neighbour((row + p - 1) % p * q + column);
    down = application_neighbour((row + 1) % p * q + column);
}

/* A rank begins with the blocks that it multiplies first: of A's columns part number `part` of q, and B's rows from
 * there on. */
static void fill(void)
{
    int part = (column + row * (q / p)) % q;

    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++)
            a[(long)y * wide + x] = a_next[(long)y * wide + x] = element(0, row * high + y, part * wide + x);
    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++)
            b[(long)y * wide + x] = b_next[(long)y * wide + x] =
                element(1, (part * wide + y) % size, column * wide + x);
}

static const char *begin(void)
{
    p = 1;
    for (int i = 1; i * i <= ranks; i++)
        if (ranks % (i * i) == 0)
            p = i;
    q = ranks / p;
    row = rank / q, column = rank % q;
    if (size % q != 0)
        return "they are no multiple of the columns of ranks";
    high = size / p, wide = size / q;
    find_neighbours();
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(1);
#endif
    a = application_doubles((long)high * wide), a_next = application_doubles((long)high * wide);
    b = application_doubles((long)high * wide), b_next = application_doubles((long)high * wide);
    product = application_doubles((long)high * wide);
    fill();
    return NULL;
}

/* ---- messages ---- */

static bool moves_b(int step)
{
    return (step + 1) % (q / p) == 0;
}

static void receive_next(int step, MPI_Request *requests)
{
    MPI_Irecv(a_next, high * wide, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(b_next, high * wide, MPI_DOUBLE, moves_b(step) ? down : MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
}

static void send_on(int step, MPI_Request *requests)
{
    MPI_Isend(a, high * wide, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(b, high * wide, MPI_DOUBLE, moves_b(step) ? up : MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[3]);
}

static void swap(double **one, double **other)
{
    double *was = *one;

    *one = *other, *other = was;
}

static void take_next(int step)
{
    swap(&a, &a_next);
    if (moves_b(step))
        swap(&b, &b_next);
}

/* ---- variants ---- */

static void multiply_step(int step)
{
    double begin = exact_begin();

    multiply(product, a, b + (long)(step % (q / p)) * wide * wide, high, wide, wide);
    exact_end(begin, 1.0 / ranks / q);
}

static void original(void)
{
    MPI_Request requests[MESSAGES];

    WM_SUPERBLOCK_BEGIN("cannon");
    for (int step = 0; step < iterations * q; step++) {
        WM_REGION(receive);
        receive_next(step, requests);
        WM_REGION(send);
        send_on(step, requests);
        WM_REGION(compute);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        multiply_step(step);
        take_next(step);
    }
    WM_SUPERBLOCK_END;
}

/* The next blocks travel while these are multiplied. */
static void overlap(void)
{
    MPI_Request requests[MESSAGES];

    for (int step = 0; step < iterations * q; step++) {
        receive_next(step, requests);
        send_on(step, requests);
        multiply_step(step);
        MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
        take_next(step);
    }
}

/* ---- results: as many products of the factors, added up ---- */

static long total(void)
{
    return (long)size * size;
}

static long count(void)
{
    return (long)high * wide;
}

static long place(long i)
{
    return (row * high + i / wide) * size + column * wide + i % wide;
}

static double result(long i)
{
    return product[i];
}

const struct application application = {
    .name = "cannon",
    .sized = "rows and columns",
    .size = 240,
    .iterations = 5,
    .largest = 16384,
    .is_exact = true,
    .begin = begin,
    .original = original,
    .overlap = overlap,
    .total = total,
    .count = count,
    .place = place,
    .result = result,
};
