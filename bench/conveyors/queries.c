/* Queries and replies of 8 bytes over two conveyors, and over a biconveyor: entries of a table that fits the cache. */
#include <mpi.h>
#include <stdlib.h>
#include "bench/conveyors/contender.h"
#include "bench/conveyors/conveyor.h"
#include "waymark/biconvey.h"

enum { ENTRIES = 4096 };

struct state {
    convey_t *queries, *replies;
    biconvey_t *both;
    uint64_t table[ENTRIES];
};

static struct state *new_state(const struct bench_case *c)
{
    struct state *s = calloc(1, sizeof *s);

    for (int i = 0; i < ENTRIES; i++)
        s->table[i] = (uint64_t)i + (uint64_t)c->rank * ENTRIES;
    return s;
}

static void *open_two(const struct bench_contender *contender, const struct bench_settings *settings,
                      const struct bench_case *c)
{
    struct state *s = new_state(c);

    s->queries = bench_conveyor(contender, settings, c, 0);
    s->replies = bench_conveyor(contender, settings, c, 0);
    return s;
}

static void *open_both(const struct bench_contender *contender, const struct bench_settings *settings,
                       const struct bench_case *c)
{
    struct state *s = new_state(c);

    (void)contender;
    (void)settings;
    s->both = biconvey_new(SIZE_MAX, 0, NULL, 0);
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

    if (s->queries != NULL) {
        convey_free(s->replies);
        convey_free(s->queries);
    }
    if (s->both != NULL)
        biconvey_free(s->both);
    free(s);
}

static uint64_t place_of(uint64_t number)
{
    return number >> 20 & (ENTRIES - 1);
}

/* The entry that is asked for, which the sums compare. */
static uint64_t entry_of(uint64_t number, int64_t owner)
{
    return place_of(number) + (uint64_t)owner * ENTRIES;
}

static uint64_t read_replies(convey_t *replies)
{
    uint64_t entry, sum = 0;

    while (convey_pull(replies, &entry, NULL) == convey_OK)
        sum += entry;
    return sum;
}

static void answer_queries(const struct state *s)
{
    uint64_t place;
    int64_t asker;

    while (convey_pull(s->queries, &place, &asker) == convey_OK)
        if (convey_push(s->replies, &s->table[place], asker) != convey_OK) {
            convey_unpull(s->queries);
            break;
        }
}

static void run_two(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    uint64_t number = bench_next(k->seed), pushed = 0, pulled = 0;
    int64_t asked = 0;
    bool more;
    double start = bench_begin(s->queries, 8, run);

    start = bench_begin(s->replies, 8, run);
    while (more = convey_advance(s->queries, asked == k->items) > convey_DONE,
           convey_advance(s->replies, !more) > convey_DONE) {
        for (; asked < k->items; asked++) {
            uint64_t place = place_of(number);
            int64_t owner = bench_destination(number, k->ranks);

            if (convey_push(s->queries, &place, owner) != convey_OK)
                break;
            pushed += entry_of(number, owner);
            number = bench_next(number);
        }
        answer_queries(s);
        pulled += read_replies(s->replies);
    }
    bench_end(s->replies, start, run);
    convey_reset(s->queries);
    run->pushed += pushed;
    run->pulled += pulled;
}

static void answer(const void *query, void *reply, void *context)
{
    const struct state *s = context;
    uint64_t place;

    memcpy(&place, query, sizeof place);
    memcpy(reply, &s->table[place], sizeof s->table[place]);
}

static void ask_both(struct state *s, const struct bench_case *k, struct bench_run *run)
{
    uint64_t number = bench_next(k->seed), pushed = 0, pulled = 0, entry;
    int64_t asked = 0;

    while (biconvey_advance(s->both, asked == k->items) > convey_DONE) {
        for (; asked < k->items; asked++) {
            uint64_t place = place_of(number);
            int64_t owner = bench_destination(number, k->ranks);

            if (biconvey_push(s->both, &place, owner) != convey_OK)
                break;
            pushed += entry_of(number, owner);
            number = bench_next(number);
        }
        while (biconvey_pull(s->both, &entry) == convey_OK)
            pulled += entry;
    }
    run->pushed += pushed;
    run->pulled += pulled;
}

static void run_both(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    double start = bench_seconds();

    if (biconvey_begin(s->both, 8, 8, answer, s) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    run->life_seconds += bench_seconds() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    ask_both(s, k, run);
    run->seconds += bench_seconds() - start;
    start = bench_seconds();
    biconvey_reset(s->both);
    run->life_seconds += bench_seconds() - start;
}

/* Destinations, and the table's entries: each query is answered here. */
static void run_nothing(void *state, const struct bench_case *k, struct bench_run *run)
{
    struct state *s = state;
    uint64_t number = bench_next(k->seed), pushed = 0, pulled = 0, place, entry;
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = bench_seconds();
    for (int64_t asked = 0; asked < k->items; asked++) {
        place = place_of(number);
        bench_nothing(&place, bench_destination(number, k->ranks));
        pushed += entry_of(number, k->rank);
        number = bench_next(number);
        bench_nothing(&place, 0);
        entry = s->table[place];
        bench_nothing(&entry, 0);
        pulled += entry;
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
static const struct bench_contender two = {
    .name = "two",
    .meaning = "two conveyors by convey_new",
    .open = open_two,
    .run = run_two,
    .close = close_state,
};
static const struct bench_contender two_one_hop = {
    .name = "two-one-hop",
    .meaning = "two conveyors by convey_new_tensor of order 1",
    .hops = 1,
    .open = open_two,
    .run = run_two,
    .close = close_state,
};
static const struct bench_contender both = {
    .name = "biconveyor",
    .meaning = "biconvey_new",
    .open = open_both,
    .run = run_both,
    .close = close_state,
};
static const struct bench_contender *const contenders[] = {&harness, &two, &two_one_hop, &both, NULL};

const struct bench_section bench_queries = {"queries", "query and response, 8 bytes each way", contenders};
