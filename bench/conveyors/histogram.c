/* A histogram into a table that fits the cache: places of 8 bytes to random ranks, which count them. */
#include <mpi.h>
#include <stdlib.h>
#include "bench/conveyors/contender.h"
#include "bench/conveyors/conveyor.h"

enum { COUNTERS = 4096 };
enum { PULL, SPANS, HANDLER };

struct state {
    convey_t *conveyor; /* NULL: the harness */
    int variant;
    uint64_t counter[COUNTERS];
};

static void count(void *context, const void *items, size_t items_count, int64_t from)
{
    uint64_t *counter = context;

    (void)from;
    for (size_t i = 0; i < items_count; i++)
        counter[((const uint64_t *)items)[i]]++;
}

static void *open_conveyor(const struct bench_contender *contender, const struct bench_settings *settings,
                           const struct bench_case *c)
{
    struct state *s = calloc(1, sizeof *s);

    s->variant = contender->variant;
    s->conveyor = bench_conveyor(contender, settings, c, 0);
    if (s->variant == HANDLER)
        convey_set_handler(s->conveyor, count, s->counter, false);
    return s;
}

static void *open_nothing(const struct bench_contender *contender, const struct bench_settings *settings,
                          const struct bench_case *c)
{
    (void)contender;
    (void)settings;
    (void)c;
    return calloc(1, sizeof(struct state));
}

static void close_state(void *state)
{
    struct state *s = state;

    convey_free(s->conveyor);
    free(s);
}

static uint64_t place_of(uint64_t number)
{
    return number >> 20 & (COUNTERS - 1);
}

static void pull_all(struct state *s)
{
    const void *items;
    uint64_t place;
    int64_t found;

    if (s->variant == PULL)
        while (convey_pull(s->conveyor, &place, NULL) == convey_OK)
            s->counter[place]++;
    if (s->variant == SPANS)
        while ((found = convey_pull_span(s->conveyor, &items, NULL)) > 0)
            count(s->counter, items, (size_t)found, -1);
}

static uint64_t weight(const struct state *s)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < COUNTERS; i++)
        sum += s->counter[i] * i;
    return sum;
}

static void run_conveyor(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    uint64_t number = bench_next(k->seed), before = weight(s), pushed = 0;
    int64_t sent = 0;
    double start = bench_begin(s->conveyor, 8, run);

    while (convey_advance(s->conveyor, sent == k->items) > convey_DONE) {
        for (; sent < k->items; sent++) {
            uint64_t place = place_of(number);

            if (convey_push(s->conveyor, &place, bench_destination(number, k->ranks)) != convey_OK)
                break;
            pushed += place;
            number = bench_next(number);
        }
        pull_all(s);
    }
    bench_end(s->conveyor, start, run);
    run->pushed += pushed;
    run->pulled += weight(s) - before;
}

static void run_nothing(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    uint64_t number = bench_next(k->seed), before = weight(s), pushed = 0, place;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    for (int64_t sent = 0; sent < k->items; sent++) {
        place = place_of(number);
        bench_nothing(&place, bench_destination(number, k->ranks));
        pushed += place;
        number = bench_next(number);
        bench_nothing(&place, 0);
        s->counter[place]++;
    }
    run->seconds += bench_seconds() - start;
    run->pushed += pushed;
    run->pulled += weight(s) - before;
}

static const struct bench_contender harness = {
    .name = "harness",
    .meaning = "the loop itself, counting its own items",
    .open = open_nothing,
    .run = run_nothing,
    .close = close_state,
};
static const struct bench_contender pulled = {
    .name = "default",
    .meaning = "convey_new",
    .variant = PULL,
    .open = open_conveyor,
    .run = run_conveyor,
    .close = close_state,
};
static const struct bench_contender one_hop = {
    .name = "one-hop",
    .meaning = "convey_new_tensor of order 1",
    .hops = 1,
    .variant = PULL,
    .open = open_conveyor,
    .run = run_conveyor,
    .close = close_state,
};
static const struct bench_contender spans = {
    .name = "spans",
    .meaning = "one hop, by convey_pull_span",
    .hops = 1,
    .variant = SPANS,
    .open = open_conveyor,
    .run = run_conveyor,
    .close = close_state,
};
static const struct bench_contender handler = {
    .name = "handler",
    .meaning = "one hop, by a handler",
    .hops = 1,
    .variant = HANDLER,
    .open = open_conveyor,
    .run = run_conveyor,
    .close = close_state,
};
static const struct bench_contender *const contenders[] = {&harness, &pulled, &one_hop, &spans, &handler, NULL};

const struct bench_section bench_histogram = {"histogram", "a histogram into a table that fits the cache", contenders};
