/* The first conveyor of a process, later ones, one that stays; new and free; and bare memory that is touched first. */
#include "bench/sample.h"
#include "bench/conveyors/lives.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "bench/conveyors/contender.h"
#include "waymark/convey.h"

enum { ITEMS = 20000, LIVES = 21, PAIRS = 201, RING_BYTES = 64 << 10 };

/* Of the rank that took longest. */
static double longest(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* A run to random ranks; ns an item. */
static double stream(convey_t *c, int rank, int ranks)
{
    uint64_t number = bench_next(12345 + (uint64_t)rank), word;
    double start;
    int sent = 0;

    if (convey_begin(c, sizeof word, 0) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    while (convey_advance(c, sent == ITEMS) > convey_DONE) {
        while (sent < ITEMS && convey_push(c, &number, bench_destination(number, ranks)) == convey_OK) {
            number = bench_next(number);
            sent++;
        }
        while (convey_pull(c, &word, NULL) == convey_OK)
            bench_nothing(&word, 0);
    }
    start = longest(bench_seconds() - start);
    convey_reset(c);
    return start * 1e9 / ITEMS;
}

static double new_and_free_us(void)
{
    double us[PAIRS], start;

    for (int i = 0; i < PAIRS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        start = bench_seconds();
        convey_free(convey_new(SIZE_MAX, 0, NULL, 0));
        us[i] = longest(bench_seconds() - start) * 1e6;
    }
    return bench_median(us, PAIRS);
}

/* The same items written round about into the memory of a ring for each rank, and read there; ns an item. */
static double copy(char *memory, size_t bytes)
{
    double start = bench_seconds();
    uint64_t word = 1, sum = 0;

    for (size_t i = 0; i < ITEMS; i++) {
        size_t at = i % 2048 * sizeof word + i / 2048 * (16 << 10);

        memcpy(memory + at % bytes, &word, sizeof word);
        bench_nothing(memory, 0);
        memcpy(&word, memory + at % bytes, sizeof word);
        sum += word;
    }
    bench_nothing(&sum, 0);
    return longest(bench_seconds() - start) * 1e9 / ITEMS;
}

static void print_bare(int rank, int ranks)
{
    size_t bytes = (size_t)ranks * RING_BYTES;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double first, again;

    if (memory == MAP_FAILED)
        return;
    first = copy(memory, bytes);
    again = copy(memory, bytes);
    if (rank == 0)
        printf("  bare shared memory: %.2f when it is new, %.2f again; its first touch: %.2f\n", first, again,
               first - again);
    munmap(memory, bytes);
}

void bench_lives_print(void)
{
    double later[LIVES], stays[LIVES], first = 0, pair_us;
    convey_t *c;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i <= LIVES; i++) {
        c = convey_new(SIZE_MAX, 0, NULL, 0);
        if (i == 0)
            first = stream(c, rank, ranks);
        else
            later[i - 1] = stream(c, rank, ranks);
        convey_free(c);
    }
    c = convey_new(SIZE_MAX, 0, NULL, 0);
    stream(c, rank, ranks);
    for (int i = 0; i < LIVES; i++)
        stays[i] = stream(c, rank, ranks);
    convey_free(c);
    pair_us = new_and_free_us();
    if (rank == 0) {
        printf("\n%s: %d items of 8 B a rank, by convey_new; ns an item, with the harness\n", BENCH_LIVES, ITEMS);
        printf("  first conveyor of the process: %.2f; later ones: %.2f; a conveyor that stays: %.2f\n", first,
               bench_median(later, LIVES), bench_median(stays, LIVES));
    }
    print_bare(rank, ranks);
    if (rank == 0)
        printf("  new and free: %.2f us%s\n", pair_us,
               ranks != 2     ? ""
               : pair_us <= 5 ? "; at most 5: met"
                              : "; at most 5: not met");
}
