/* Items of exponentially distributed sizes to random ranks, over elastic conveyors. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include "bench/conveyors/contender.h"
#include "bench/conveyors/conveyor.h"

/* Sizes are looked up, since a logarithm costs more than a push. The longest is 7 times the mean. */
enum { SIZES = 1024, LONGEST = 8 };

struct state {
    convey_t *conveyor; /* NULL: the harness */
    size_t sizes[SIZES];
    char *item;
};

static size_t bound(const struct bench_case *c)
{
    return LONGEST * c->item_bytes;
}

static struct state *new_state(const struct bench_case *c)
{
    struct state *s = malloc(sizeof *s);

    s->conveyor = NULL;
    s->item = calloc(1, bound(c) + 8);
    for (int i = 0; i < SIZES; i++) {
        s->sizes[i] = (size_t)(-log((i + 0.5) / SIZES) * (double)c->item_bytes);
        if (s->sizes[i] < 8)
            s->sizes[i] = 8; /* the word that is added up */
    }
    return s;
}

static void *open_conveyor(const struct bench_contender *contender, const struct bench_settings *settings,
                           const struct bench_case *c)
{
    convey_t *conveyor = bench_conveyor(contender, settings, c, bound(c));
    struct state *s;

    if (conveyor == NULL)
        return NULL;
    s = new_state(c);
    s->conveyor = conveyor;
    return s;
}

static void *open_nothing(const struct bench_contender *contender, const struct bench_settings *settings,
                          const struct bench_case *c)
{
    (void)contender;
    (void)settings;
    return new_state(c);
}

static void close_state(void *state)
{
    struct state *s = state;

    convey_free(s->conveyor);
    free(s->item);
    free(s);
}

static size_t size_of(const struct state *s, uint64_t number)
{
    return s->sizes[(number >> 20) % SIZES];
}

static uint64_t pull_all(convey_t *c)
{
    convey_item_t item;
    uint64_t sum = 0, word;

    while (convey_epull(c, &item) == convey_OK) {
        memcpy(&word, item.data, sizeof word);
        sum += word;
    }
    return sum;
}

static void run_conveyor(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    convey_t *c = s->conveyor;
    uint64_t number = bench_next(k->seed), pushed = 0, pulled = 0;
    int64_t sent = 0;
    double start = bench_begin(c, 1, run);

    while (convey_advance(c, sent == k->items) > convey_DONE) {
        for (; sent < k->items; sent++) {
            memcpy(s->item, &number, sizeof number);
            if (convey_epush(c, size_of(s, number), s->item, bench_destination(number, k->ranks)) != convey_OK)
                break;
            pushed += number;
            number = bench_next(number);
        }
        pulled += pull_all(c);
    }
    bench_end(c, start, run);
    run->pushed += pushed;
    run->pulled += pulled;
}

static void run_nothing(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    uint64_t number = bench_next(k->seed), pushed = 0, pulled = 0, word;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    for (int64_t sent = 0; sent < k->items; sent++) {
        memcpy(s->item, &number, sizeof number);
        bench_nothing(s->item, bench_destination(number, k->ranks) + (int64_t)size_of(s, number));
        pushed += number;
        number = bench_next(number);
        bench_nothing(s->item, 0);
        memcpy(&word, s->item, sizeof word);
        pulled += word;
    }
    run->seconds += bench_seconds() - start;
    run->pushed += pushed;
    run->pulled += pulled;
}

static const struct bench_contender harness = {
    .name = "harness",
    .meaning = "the loop itself",
    .open = open_nothing,
    .run = run_nothing,
    .close = close_state,
};

#define CONVEYOR(title, text, order)                                                                                   \
    &(const struct bench_contender)                                                                                    \
    {                                                                                                                  \
        .name = title, .meaning = text, .hops = order, .open = open_conveyor, .run = run_conveyor,                     \
        .close = close_state                                                                                           \
    }

static const struct bench_contender *const contenders[] = {
    &harness,
    CONVEYOR("default", "convey_new_elastic", 0),
    CONVEYOR("one-hop", "convey_new_etensor of order 1", 1),
    CONVEYOR("two-hops", "of order 2", 2),
    CONVEYOR("three-hops", "of order 3", 3),
    NULL,
};

const struct bench_section bench_elastic = {"elastic", "elastic items of exponential sizes to random ranks",
                                            contenders};
