/* Programs whose traces are replayed (bench/replay).
 *
 *   replay_calls stencil|halo|overlap|spectral STEPS [WORK]
 *
 * stencil: rims to the neighbours, and sums of all ranks by nonblocking calls behind the work of the
 * inside; halo: the same with rims by MPI_Sendrecv; overlap: by nonblocking messages behind that work. spectral: blocks
 * for everyone, sums and a broadcast between pieces of work that differ from rank to rank. WORK: how many numbers a
 * piece of work goes through; more of them leave less of the run to communication. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIM = 1024, SUMS = 8192, BLOCK = 8192, SMALL = 16 };

enum rims { NEIGHBOR, SENDRECV, NONBLOCKING, RIMS };
static const char *const programs[] = {"stencil", "halo", "overlap", "spectral"};

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

/* Rims to the left and to the right, and theirs. */
static void swap_rims(enum rims how, double *rims, MPI_Comm ring, MPI_Request requests[4])
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;

    if (how == NEIGHBOR) {
        MPI_Neighbor_alltoall(rims, RIM, MPI_DOUBLE, rims + 2 * RIM, RIM, MPI_DOUBLE, ring);
    } else if (how == SENDRECV) {
        MPI_Sendrecv(rims, RIM, MPI_DOUBLE, left, 0, rims + 3 * RIM, RIM, MPI_DOUBLE, right, 0, ring,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(rims + RIM, RIM, MPI_DOUBLE, right, 1, rims + 2 * RIM, RIM, MPI_DOUBLE, left, 1, ring,
                     MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(rims + 2 * RIM, RIM, MPI_DOUBLE, left, 1, ring, &requests[0]);
        MPI_Irecv(rims + 3 * RIM, RIM, MPI_DOUBLE, right, 0, ring, &requests[1]);
        MPI_Isend(rims, RIM, MPI_DOUBLE, left, 0, ring, &requests[2]);
        MPI_Isend(rims + RIM, RIM, MPI_DOUBLE, right, 1, ring, &requests[3]);
    }
}

static void stencil(int steps, size_t numbers, enum rims how)
{
    double *rims = numbers_new(4 * RIM), *parts = numbers_new(SUMS), *sums = numbers_new(SUMS);
    int periodic = 1;
    MPI_Comm ring;
    MPI_Request request, requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    for (int step = 0; step < steps; step++) {
        swap_rims(how, rims, ring, requests);
        MPI_Iallreduce(parts, sums, SUMS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        work(numbers, 200 + (unsigned)(step * 7 + rank * 31) % 56);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
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
    int program = 0;

    while (program <= RIMS && (argc < 2 || strcmp(argv[1], programs[program]) != 0))
        program++;
    if (steps <= 0 || numbers <= 0 || program > RIMS) {
        fprintf(stderr, "usage: replay_calls stencil|halo|overlap|spectral STEPS [WORK]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    room = (size_t)ranks * SUMS;
    field = numbers_new(room);
    if (program < RIMS)
        stencil(steps, (size_t)numbers, (enum rims)program);
    else
        spectral(steps, (size_t)numbers);
    MPI_Finalize();
    return 0;
}
