/* Programs whose traces are replayed (bench/replay).
 *
 *   replay_calls stencil|spectral STEPS [WORK]
 *
 * stencil: rims to the neighbours, and sums of all ranks by nonblocking calls behind the work of the
 * inside. spectral: blocks for everyone, sums and a broadcast between pieces of work that differ from rank to rank.
 * WORK: how many numbers a piece of work goes through; more of them leave less of the run to communication. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIM = 1024, SUMS = 8192, BLOCK = 8192, SMALL = 16 };

static int rank, ranks;
static size_t room;
static double *field;

/* So many numbers' worth, of which `share` in 256 are done. */
static void work(size_t numbers, unsigned share)
{
    size_t end = numbers * share / 256;

    for (size_t i = 0; i < end; i++) {
        double *at = &field[i % room];

        *at = *at * 0.999 + 1 / (1 + *at * *at);
    }
}

static double *numbers_new(size_t count)
{
    double *numbers = malloc(count * sizeof *numbers);

    if (numbers == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < count; i++)
        numbers[i] = 1 + (double)(i % 7);
    return numbers;
}

static void stencil(int steps, size_t numbers)
{
    double *rims = numbers_new(4 * RIM), *parts = numbers_new(SUMS), *sums = numbers_new(SUMS);
    int periodic = 1;
    MPI_Comm ring;
    MPI_Request request;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    for (int step = 0; step < steps; step++) {
        MPI_Neighbor_alltoall(rims, RIM, MPI_DOUBLE, rims + 2 * RIM, RIM, MPI_DOUBLE, ring);
        MPI_Iallreduce(parts, sums, SUMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        work(numbers, 200 + (unsigned)(step * 7 + rank * 31) % 56);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        work(numbers / 4, 256);
        if (step % 4 == 3) {
            MPI_Iallgather(parts, SUMS / 4, MPI_DOUBLE, field, SUMS / 4, MPI_DOUBLE, MPI_COMM_WORLD, &request);
            work(numbers / 8, 256);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Comm_free(&ring);
}

static void spectral(int steps, size_t numbers)
{
    size_t all = (size_t)ranks * BLOCK;
    double *packed = numbers_new(all), *came = numbers_new(all), *sums = numbers_new(SUMS);

    for (int step = 0; step < steps; step++) {
        work(numbers, 200 + (unsigned)(step * 13 + rank * 29) % 56);
        MPI_Alltoall(packed, BLOCK, MPI_DOUBLE, came, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
        work(numbers / 2, 256);
        MPI_Allreduce(packed, sums, SMALL, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step % 2 == 0)
            MPI_Bcast(sums, SUMS, MPI_DOUBLE, step / 2 % ranks, MPI_COMM_WORLD);
        else
            MPI_Allreduce(packed, sums, SUMS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 2 ? atoi(argv[2]) : 0, numbers = argc > 3 ? atoi(argv[3]) : 20000;
    bool is_stencil = argc > 1 && strcmp(argv[1], "stencil") == 0;

    if (steps <= 0 || numbers <= 0 || (!is_stencil && strcmp(argv[1], "spectral") != 0)) {
        fprintf(stderr, "usage: replay_calls stencil|spectral STEPS [WORK]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    room = (size_t)ranks * SUMS;
    field = numbers_new(room);
    (is_stencil ? stencil : spectral)(steps, (size_t)numbers);
    MPI_Finalize();
    return 0;
}
