/* Items of a fixed size to random ranks: conveyors, pulled in three ways, and the harness. */
#include <mpi.h>
#include <stdlib.h>
#include "bench/conveyors/contender.h"
#include "bench/conveyors/conveyor.h"

enum { PULL, APULL, SPANS };

struct item {
    uint64_t words[BENCH_ITEM_BYTES_MAX / 8];
};

struct state {
    convey_t *conveyor;
    int variant;
};

/* The loops are made for each size, as a program that knows its items has them. */
#define MADE_FOR_ITS_SIZE static inline __attribute__((always_inline))

MADE_FOR_ITS_SIZE uint64_t pull_all(convey_t *c, int variant, size_t bytes)
{
    uint64_t sum = 0, words[bytes / 8];
    const uint64_t *items;
    int64_t count;

    if (variant == PULL)
        while (convey_pull(c, words, NULL) == convey_OK)
            sum += words[0];
    if (variant == APULL)
        while ((items = convey_apull(c, NULL)) != NULL)
            sum += *items;
    if (variant == SPANS)
        while ((count = convey_pull_span(c, (const void **)&items, NULL)) > 0)
            for (int64_t i = 0; i < count; i++)
                sum += items[(size_t)i * (bytes / 8)];
    return sum;
}

MADE_FOR_ITS_SIZE void stream(convey_t *c, const struct bench_case *k, int variant, size_t bytes, struct bench_run *run)
{
    uint64_t words[bytes / 8], number = bench_next(k->seed), pushed = 0, pulled = 0;
    int64_t sent = 0;

    memset(words, 0, bytes);
    while (convey_advance(c, sent == k->items) > convey_DONE) {
        for (; sent < k->items; sent++) {
            words[0] = number;
            if (convey_push(c, words, bench_destination(number, k->ranks)) != convey_OK)
                break;
            pushed += number;
            number = bench_next(number);
        }
        pulled += pull_all(c, variant, bytes);
    }
    run->pushed += pushed;
    run->pulled += pulled;
}

MADE_FOR_ITS_SIZE void sized(convey_t *c, const struct bench_case *k, int variant, size_t bytes, struct bench_run *run)
{
    if (variant == PULL)
        stream(c, k, PULL, bytes, run);
    else if (variant == APULL)
        stream(c, k, APULL, bytes, run);
    else
        stream(c, k, SPANS, bytes, run);
}

static void run_conveyor(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    double start = bench_begin(s->conveyor, k->item_bytes, run);

    if (k->item_bytes == 8)
        sized(s->conveyor, k, s->variant, 8, run);
    else if (k->item_bytes == 16)
        sized(s->conveyor, k, s->variant, 16, run);
    else if (k->item_bytes == 32)
        sized(s->conveyor, k, s->variant, 32, run);
    else if (k->item_bytes == 128)
        sized(s->conveyor, k, s->variant, 128, run);
    else
        sized(s->conveyor, k, s->variant, k->item_bytes, run);
    bench_end(s->conveyor, start, run);
}

static void *open_conveyor(const struct bench_contender *contender, const struct bench_settings *settings,
                           const struct bench_case *c)
{
    convey_t *conveyor = bench_conveyor(contender, settings, c, 0);
    struct state *s;

    if (conveyor == NULL)
        return NULL;
    s = malloc(sizeof *s);
    *s = (struct state){conveyor, contender->variant};
    return s;
}

static void close_conveyor(void *state)
{
    struct state *s = state;

    convey_free(s->conveyor);
    free(s);
}

static void *open_nothing(const struct bench_contender *contender, const struct bench_settings *settings,
                          const struct bench_case *c)
{
    (void)contender;
    (void)settings;
    (void)c;
    return malloc(1);
}

/* Pushes and pulls take turns as they would with buffers of some thousand items. */
static void run_nothing(void *state, const struct bench_case *k, struct bench_run *run)
{
    uint64_t words[BENCH_ITEM_BYTES_MAX / 8] = {0}, number = bench_next(k->seed), pushed = 0, pulled = 0;
    int64_t sent = 0, received = 0;
    double start;

    (void)state;
    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    while (received < k->items) {
        for (int64_t end = sent + 2048 < k->items ? sent + 2048 : k->items; sent < end; sent++) {
            words[0] = number;
            if (!bench_nothing(words, bench_destination(number, k->ranks)))
                break;
            pushed += number;
            number = bench_next(number);
        }
        for (; received < sent && bench_nothing(words, 0); received++)
            pulled += words[0];
    }
    run->seconds += bench_seconds() - start;
    run->pushed = run->pulled = pushed + (pulled & 1) - (pulled & 1);
}

static const struct bench_contender harness = {
    .name = "harness",
    .meaning = "the loop itself, with a push and a pull that do nothing",
    .open = open_nothing,
    .run = run_nothing,
    .close = free,
};

#define CONVEYOR(title, text, order, way)                                                                              \
    &(const struct bench_contender)                                                                                    \
    {                                                                                                                  \
        .name = title, .meaning = text, .hops = order, .variant = way, .open = open_conveyor, .run = run_conveyor,     \
        .close = close_conveyor                                                                                        \
    }

static const struct bench_contender *const contenders[] = {
    &harness,
    CONVEYOR("default", "convey_new", 0, PULL),
    CONVEYOR("one-hop", "convey_new_tensor of order 1", 1, PULL),
    CONVEYOR("two-hops", "of order 2", 2, PULL),
    CONVEYOR("three-hops", "of order 3", 3, PULL),
    CONVEYOR("apull", "one hop, items read in place by convey_apull", 1, APULL),
    CONVEYOR("spans", "one hop, items read in place by convey_pull_span", 1, SPANS),
    &bench_ring,
    &bench_packed,
    &bench_alltoallv,
    &bench_accumulate,
    NULL,
};

const struct bench_section bench_push_pull = {"push-pull", "push and pull, items of one size to random ranks",
                                              contenders};
