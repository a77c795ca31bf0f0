/* The MPI library's alltoallv as a contender: of items that stand in the order of their ranks, and hand-packed ones.
 *
 * Both go in batches, since buffers that fit the cache serve the library best. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "bench/conveyors/contender.h"

struct bulk {
    int64_t batches, items;        /* of a run; of a batch, at this rank */
    char *item, *packed, *arrived; /* of a batch */
    size_t arrived_room;
    int *to;                                       /* [items] */
    int *count, *at, *from_count, *from_at, *next; /* [ranks] */
};

static int64_t at_least_one(int64_t value)
{
    return value > 0 ? value : 1;
}

static void *open_bulk(const struct bench_contender *contender, const struct bench_settings *settings,
                       const struct bench_case *c)
{
    struct bulk *b = calloc(1, sizeof *b);
    int64_t batch = at_least_one(settings->batch_bytes / (int64_t)c->item_bytes);
    size_t ranks = (size_t)c->ranks, room;

    (void)contender;
    b->batches = at_least_one((c->most + batch - 1) / batch);
    b->items = c->items / b->batches;
    room = (size_t)b->items + 1;
    b->item = calloc(room, c->item_bytes);
    b->packed = calloc(room, c->item_bytes);
    b->arrived_room = 2 * room * c->item_bytes;
    b->arrived = calloc(1, b->arrived_room);
    b->to = calloc(room, sizeof *b->to);
    b->count = calloc(ranks, sizeof *b->count);
    b->at = calloc(ranks, sizeof *b->at);
    b->from_count = calloc(ranks, sizeof *b->from_count);
    b->from_at = calloc(ranks, sizeof *b->from_at);
    b->next = calloc(ranks, sizeof *b->next);
    return b;
}

static void close_bulk(void *state)
{
    struct bulk *b = state;

    free(b->item);
    free(b->packed);
    free(b->arrived);
    free(b->to);
    free(b->count);
    free(b->at);
    free(b->from_count);
    free(b->from_at);
    free(b->next);
    free(b);
}

/* Generate a batch's items, with counts in bytes by rank. */
static uint64_t generate(struct bulk *b, const struct bench_case *k, uint64_t number, struct bench_run *run)
{
    memset(b->count, 0, (size_t)k->ranks * sizeof *b->count);
    for (int64_t i = 0; i < b->items; i++) {
        b->to[i] = (int)bench_destination(number, k->ranks);
        memcpy(b->item + (size_t)i * k->item_bytes, &number, sizeof number);
        b->count[b->to[i]] += (int)k->item_bytes;
        run->pushed += number;
        number = bench_next(number);
    }
    return number;
}

static inline __attribute__((always_inline)) void copy_items(struct bulk *b, size_t bytes)
{
    for (int64_t i = 0; i < b->items; i++) {
        memcpy(b->packed + b->next[b->to[i]], b->item + (size_t)i * bytes, bytes);
        b->next[b->to[i]] += (int)bytes;
    }
}

static int places(const int *count, int *at, int ranks)
{
    int end = 0;

    for (int rank = 0; rank < ranks; rank++) {
        at[rank] = end;
        end += count[rank];
    }
    return end;
}

static void pack(struct bulk *b, const struct bench_case *k)
{
    places(b->count, b->at, k->ranks);
    memcpy(b->next, b->at, (size_t)k->ranks * sizeof *b->next);
    if (k->item_bytes == 8)
        copy_items(b, 8);
    else if (k->item_bytes == 16)
        copy_items(b, 16);
    else if (k->item_bytes == 32)
        copy_items(b, 32);
    else
        copy_items(b, k->item_bytes);
}

static int exchange_counts(struct bulk *b, const struct bench_case *k)
{
    int bytes;

    MPI_Alltoall(b->count, 1, MPI_INT, b->from_count, 1, MPI_INT, MPI_COMM_WORLD);
    bytes = places(b->from_count, b->from_at, k->ranks);
    if ((size_t)bytes > b->arrived_room) {
        free(b->arrived);
        b->arrived_room = (size_t)bytes;
        b->arrived = malloc(b->arrived_room);
    }
    return bytes;
}

static void exchange(struct bulk *b)
{
    MPI_Alltoallv(b->packed, b->count, b->at, MPI_BYTE, b->arrived, b->from_count, b->from_at, MPI_BYTE,
                  MPI_COMM_WORLD);
}

static uint64_t sum_up(const struct bulk *b, const struct bench_case *k, int bytes)
{
    uint64_t sum = 0, word;

    for (size_t at = 0; at < (size_t)bytes; at += k->item_bytes) {
        memcpy(&word, b->arrived + at, sizeof word);
        sum += word;
    }
    return sum;
}

/* Batches are of equal size: what is left over is accounted for. */
static double scaled(const struct bulk *b, const struct bench_case *k, double seconds)
{
    return b->items > 0 ? seconds * (double)k->items / (double)(b->items * b->batches) : seconds;
}

static void run_packed(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct bulk *b = state;
    uint64_t number = bench_next(k->seed);
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    for (int64_t batch = 0; batch < b->batches; batch++) {
        number = generate(b, k, number, run);
        pack(b, k);
        int bytes = exchange_counts(b, k);
        exchange(b);
        run->pulled += sum_up(b, k, bytes);
    }
    run->seconds += scaled(b, k, bench_seconds() - start);
}

/* One batch is packed beforehand, and exchanged again and again. */
static void run_alltoallv(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct bulk *b = state;
    double start;
    int bytes;

    generate(b, k, bench_next(k->seed), run);
    pack(b, k);
    bytes = exchange_counts(b, k);
    run->pushed *= (uint64_t)b->batches;
    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    for (int64_t batch = 0; batch < b->batches; batch++) {
        exchange(b);
        run->pulled += sum_up(b, k, bytes);
    }
    run->seconds += scaled(b, k, bench_seconds() - start);
}

const struct bench_contender bench_packed = {
    .name = "packed",
    .meaning = "count, pack, exchange counts, MPI_Alltoallv, read",
    .open = open_bulk,
    .run = run_packed,
    .close = close_bulk,
};
const struct bench_contender bench_alltoallv = {
    .name = "alltoallv",
    .meaning = "MPI_Alltoallv of items that are packed and counted already, read",
    .bare = true,
    .open = open_bulk,
    .run = run_alltoallv,
    .close = close_bulk,
};
