/* The common clock of several machines: synthetic traces whose clocks the test knows, held against the stated bounds.
 */
#include <math.h>
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tracer/file.h"
#include "tracer/interval.h"

enum { LIFE_S = 20, HALF_NS = 5000 };

/* What a rank's CLOCK_MONOTONIC does: stands `offset_ns` ahead, gains `ppm`, and swings by `wobble_ppm` in 30 s. */
struct machine {
    int64_t offset_ns;
    double ppm, wobble_ppm;
};

static const struct machine steady[4] = {{0, 0, 0}, {3000000000, 50, 0}, {-4000000000, -50, 0}, {77777, 30, 0}};
static const struct machine swinging[4] = {{0, 0, 0}, {3000000000, 10, 20}, {-400, -40, 10}, {77777, 0, -20}};

static uint64_t clock_at(const struct traces *traces, const struct machine *machine, double true_s)
{
    double turn = 2 * M_PI / 30;
    double gain = machine->ppm * true_s + machine->wobble_ppm / turn * (1 - cos(true_s * turn));

    return traces->base_ns + (uint64_t)machine->offset_ns + (uint64_t)llround(true_s * 1e9 + gain * 1000);
}

static void put(struct traces *traces, int rank, uint64_t ticks, enum wm_trace_kind kind, int flags, int peer,
                uint32_t sequence, uint64_t argument)
{
    wm_record_at(traces->rings[rank], ticks, kind, (uint8_t)flags, 0, 0, peer, sequence, argument);
}

/* A measurement, wrong by less than half of its interval. */
static void compare(struct traces *traces, const struct machine *machines, int rank, int peer, double true_s)
{
    uint64_t ticks = clock_at(traces, &machines[rank], true_s), there = clock_at(traces, &machines[peer], true_s);
    int64_t wrong_ns = rand() % (2 * HALF_NS - 10) - HALF_NS + 5;

    put(traces, rank, ticks, WM_TRACE_CLOCK, 0, -1, 0, ticks);
    put(traces, rank, ticks, WM_TRACE_SYNC, 0, peer, HALF_NS, there - ticks + (uint64_t)wrong_ns);
}

/* As core/clock/compare has it: 0 ← 1, 0 ← 2, 2 ← 3. */
static void compare_all(struct traces *traces, const struct machine *machines, double true_s)
{
    for (int rank = 1; rank < traces->ranks; rank++)
        compare(traces, machines, rank, rank == 3 ? 2 : 0, true_s + 0.001 * rank);
}

static void make(struct traces *traces, int ranks)
{
    srand(3);
    traces_open(traces, ranks, 65536, WM_TRACE_FULL, "");
}

/* Close, as if the clocks had been those of the machines; wall clocks agree to 10 ms. */
static void finish(struct traces *traces, const struct machine *machines)
{
    char name[64];

    traces_close(traces);
    for (int i = 0; i < traces->ranks; i++) {
        uint64_t begin = clock_at(traces, &machines[i], 0), end = clock_at(traces, &machines[i], LIFE_S);
        struct wm_clock_pair start = {begin, begin, 1700000000000000000u + 10000000u * (unsigned)i};
        struct wm_clock_pair close = {end, end, 0};

        snprintf(name, sizeof name, "rank-%05d.trace", i);
        traces_overwrite(traces->directory, name, offsetof(struct wm_trace_header, start), &start, sizeof start);
        traces_overwrite(traces->directory, name, offsetof(struct wm_trace_header, close), &close, sizeof close);
    }
}

static struct wm_trace *open_trace(const struct traces *traces)
{
    struct wm_trace *trace;
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, traces->directory, &error), 0);
    return trace;
}

static struct wm_trace_rank *rank_of(struct wm_trace *trace, int number)
{
    for (int i = 0; i < trace->rank_count; i++)
        if (trace->ranks[i].rank == number)
            return &trace->ranks[i];
    return NULL;
}

/* The worst error of two ranks' times against each other, and the worst bound; no error is beyond its own. */
static double hold(struct traces *traces, struct wm_trace *trace, const struct machine *machines, int a, int b,
                   double *bound_ns)
{
    struct wm_trace_rank *one = rank_of(trace, a), *other = rank_of(trace, b);
    double worst_ns = 0;
    int beyond = 0;

    *bound_ns = 0;
    for (double true_s = 0; true_s <= LIFE_S; true_s += 0.01) {
        int64_t x = wm_trace_ns(one, clock_at(traces, &machines[a], true_s));
        int64_t y = wm_trace_ns(other, clock_at(traces, &machines[b], true_s));
        int64_t stated = wm_trace_error_ns(one, x) + wm_trace_error_ns(other, y);

        beyond += llabs(x - y) > stated;
        worst_ns = fmax(worst_ns, (double)llabs(x - y));
        *bound_ns = fmax(*bound_ns, (double)stated);
    }
    CU_ASSERT_EQUAL(beyond, 0);
    return worst_ns;
}

static void expect_joined(const struct machine *machines, double bound_max_ns)
{
    struct traces traces;
    struct wm_trace *trace;
    double bound_ns;

    make(&traces, 4);
    for (double true_s = 0.1; true_s < LIFE_S - 0.1; true_s += 1.3)
        compare_all(&traces, machines, true_s);
    compare_all(&traces, machines, LIFE_S - 0.01);
    finish(&traces, machines);
    trace = open_trace(&traces);
    CU_ASSERT_TRUE(trace->several_clocks);
    CU_ASSERT_TRUE(trace->synchronised);
    CU_ASSERT_EQUAL(trace->warning_count, 0);
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) {
            hold(&traces, trace, machines, a, b, &bound_ns);
            CU_ASSERT_TRUE(bound_ns <= bound_max_ns);
        }
    CU_ASSERT_TRUE((double)trace->clock_error_ns <= bound_max_ns);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clocks__that_drift_are_joined(void)
{
    expect_joined(steady, 60000);
}

static void clocks__whose_rate_swings_are_joined(void)
{
    expect_joined(swinging, 90000);
}

static void clocks__of_two_comparisons_have_a_greater_bound(void)
{
    struct traces traces;
    struct wm_trace *trace;
    double bound_ns, error_ns;

    make(&traces, 2);
    compare_all(&traces, swinging, 0.1);
    compare_all(&traces, swinging, LIFE_S - 0.1);
    finish(&traces, swinging);
    trace = open_trace(&traces);
    error_ns = hold(&traces, trace, swinging, 0, 1, &bound_ns);
    CU_ASSERT_TRUE(error_ns > 50000); /* what comparisons in between are for */
    CU_ASSERT_TRUE(bound_ns > 100000);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clocks__of_one_comparison_drift_away_within_the_bound(void)
{
    struct traces traces;
    struct wm_trace *trace;
    double bound_ns, error_ns;

    make(&traces, 3);
    compare_all(&traces, steady, 0.1);
    finish(&traces, steady);
    trace = open_trace(&traces);
    for (int rank = 1; rank < 3; rank++) {
        error_ns = hold(&traces, trace, steady, 0, rank, &bound_ns);
        CU_ASSERT_TRUE(error_ns > 900000);
        CU_ASSERT_TRUE(bound_ns < 3000000);
    }
    CU_ASSERT_TRUE(wm_trace_error_ns(rank_of(trace, 1), 100000000) < 10000);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clocks__of_a_killed_rank_go_on_with_the_last_rate(void)
{
    struct traces traces;
    struct wm_trace *trace;
    uint32_t open_state = WM_TRACE_OPEN;
    double bound_ns;

    make(&traces, 2);
    for (double true_s = 0.1; true_s < LIFE_S - 3; true_s += 1.3)
        compare_all(&traces, steady, true_s);
    finish(&traces, steady);
    traces_overwrite(traces.directory, "rank-00001.trace", offsetof(struct wm_trace_header, state), &open_state, 4);
    trace = open_trace(&traces);
    hold(&traces, trace, steady, 0, 1, &bound_ns);
    CU_ASSERT_TRUE(bound_ns < 120000); /* without the rate: 50 ppm in 3.6 s are 180 us */
    wm_trace_close(trace);
    traces_remove(&traces);
}

/* Records as torn files and stray writes leave them, among good ones. */
static void put_damage(struct traces *traces, const struct machine *machines, int rank)
{
    uint64_t now = clock_at(traces, &machines[rank], 7);

    put(traces, rank, now, WM_TRACE_CLOCK, 0, -1, 0, now);
    put(traces, rank, now, WM_TRACE_SYNC, 0, 0, 10, INT64_MAX); /* absurd offsets */
    put(traces, rank, now + 1, WM_TRACE_SYNC, 0, 0, 10, (uint64_t)-1 << 40);
    put(traces, rank, now + 2, WM_TRACE_SYNC, 0, rank, 10, 0); /* circles */
    put(traces, rank, now + 3, WM_TRACE_SYNC, 0, rank + 1, 10, 0);
    put(traces, rank, now + 4, WM_TRACE_SYNC, 0, INT32_MIN, 10, 0); /* unknown peers */
    put(traces, rank, now + 5, WM_TRACE_SYNC, 77, 0, 10, 0);        /* flags without meaning */
    put(traces, rank, 0, WM_TRACE_SYNC, 0, 0, 0, 0);                /* times far away */
    put(traces, rank, UINT64_MAX, WM_TRACE_SYNC, 0, 0, UINT32_MAX, UINT64_MAX);
}

static void clocks__survive_damaged_comparisons(void)
{
    struct traces traces;
    struct wm_trace *trace;
    double bound_ns;

    make(&traces, 4);
    for (int rank = 1; rank < 4; rank++)
        put_damage(&traces, steady, rank);
    for (double true_s = 0.1; true_s < LIFE_S; true_s += 1.3)
        compare_all(&traces, steady, true_s);
    finish(&traces, steady);
    trace = open_trace(&traces);
    CU_ASSERT_TRUE(traces_warned(trace, "comparisons of clocks make no sense"));
    CU_ASSERT_TRUE(trace->synchronised);
    for (int rank = 1; rank < 4; rank++) {
        hold(&traces, trace, steady, 0, rank, &bound_ns);
        CU_ASSERT_TRUE(bound_ns < 60000);
    }
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void change_boot(const struct traces *traces, int rank)
{
    char name[64], json[256];

    snprintf(name, sizeof name, "rank-%05d.json", rank);
    snprintf(json, sizeof json,
             "{\"define\":\"rank\",\"rank\":%d,\"ranks\":%d,\"host\":\"host%d\"}\n"
             "{\"define\":\"clock\",\"boot\":\"boot%d\"}\n",
             rank, traces->ranks, rank, rank);
    traces_truncate(traces->directory, name, 0);
    traces_overwrite(traces->directory, name, 0, json, strlen(json));
}

static void clocks__without_comparisons_are_joined_by_wall_clocks(void)
{
    struct traces traces;
    struct wm_trace *trace;
    double bound_ns;

    make(&traces, 3);
    compare(&traces, steady, 2, 0, 0.1);
    put(&traces, 1, clock_at(&traces, &steady[1], 1), WM_TRACE_SYNC, 0, 0, 10, 0); /* no pair beside it */
    finish(&traces, steady);
    for (int rank = 0; rank < 3; rank++)
        change_boot(&traces, rank);
    trace = open_trace(&traces);
    CU_ASSERT_TRUE(trace->several_clocks);
    CU_ASSERT_FALSE(trace->synchronised);
    hold(&traces, trace, steady, 0, 1, &bound_ns); /* 10 ms apart, and 50 ppm */
    CU_ASSERT_TRUE(bound_ns >= 1e9);
    hold(&traces, trace, steady, 0, 2, &bound_ns);
    CU_ASSERT_TRUE(bound_ns < 3e6);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clocks__are_joined_through_a_rank_whose_files_are_missing(void)
{
    struct traces traces;
    struct wm_trace *trace;
    char name[128];
    double bound_ns;

    make(&traces, 3);
    for (double true_s = 0.1; true_s < LIFE_S; true_s += 1.3)
        compare_all(&traces, steady, true_s);
    finish(&traces, steady);
    snprintf(name, sizeof name, "%s/rank-00000.trace", traces.directory);
    unlink(name);
    trace = open_trace(&traces);
    CU_ASSERT_EQUAL(trace->rank_count, 2);
    CU_ASSERT_TRUE(trace->several_clocks);
    CU_ASSERT_TRUE(trace->synchronised);
    hold(&traces, trace, steady, 1, 2, &bound_ns);
    CU_ASSERT_TRUE(bound_ns < 60000);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static void clocks__are_shared_by_those_who_say_so(void)
{
    static const struct machine two[4] = {{0, 0, 0}, {3000000000, 50, 0}, {3000000000, 50, 0}, {0, 0, 0}};
    struct traces traces;
    struct wm_trace *trace;
    double bound_ns;

    make(&traces, 4);
    for (double true_s = 0.1; true_s < LIFE_S; true_s += 1.3)
        compare(&traces, two, 1, 0, true_s);
    for (int rank = 2; rank < 4; rank++) {
        uint64_t now = clock_at(&traces, &two[rank], 0.1);

        put(&traces, rank, now, WM_TRACE_CLOCK, 0, -1, 0, now);
        put(&traces, rank, now, WM_TRACE_SYNC, WM_TRACE_SYNC_SAME, rank == 2 ? 1 : 0, 0, 0);
    }
    finish(&traces, two);
    trace = open_trace(&traces);
    CU_ASSERT_EQUAL(rank_of(trace, 2)->clock, 1);
    CU_ASSERT_EQUAL(rank_of(trace, 3)->clock, 0);
    CU_ASSERT_TRUE(hold(&traces, trace, two, 1, 2, &bound_ns) <= 1);
    CU_ASSERT_TRUE(hold(&traces, trace, two, 0, 3, &bound_ns) <= 1);
    hold(&traces, trace, two, 2, 3, &bound_ns);
    CU_ASSERT_TRUE(wm_trace_apart_ns(rank_of(trace, 1), rank_of(trace, 2), 5000000000) <= 100);
    CU_ASSERT_TRUE(wm_trace_apart_ns(rank_of(trace, 2), rank_of(trace, 3), 5000000000) >= HALF_NS);
    wm_trace_close(trace);
    traces_remove(&traces);
}

/* A ring that came round many times: the header page keeps what the records have lost. */
static void clocks__survive_a_ring_that_comes_round(void)
{
    struct traces traces;
    struct wm_trace *trace;
    struct wm_offset offset = {.offset_ns = 123456789012, .half_ns = 777};
    struct wm_error error = {0};

    traces_open(&traces, 2, 4096, WM_TRACE_FLIGHT, "");
    offset.at_ns = wm_clock_monotonic_ns();
    wm_recorder_sync(traces.recorders[1], 0, &offset);
    for (int i = 0; i < 1000; i++)
        traces_put(&traces, 1, i, WM_TRACE_ENTER, 3, 0, -1, (uint32_t)i, 8);
    for (int i = 0; i < 2; i++)
        wm_recorder_close(traces.recorders[i]);
    CU_ASSERT_EQUAL_FATAL(wm_trace_open(&trace, traces.directory, &error), 0);
    CU_ASSERT_EQUAL(trace->ranks[1].comparisons, 1);
    CU_ASSERT_TRUE(trace->synchronised);
    CU_ASSERT_EQUAL(wm_trace_ns(&trace->ranks[1], offset.at_ns) - wm_trace_ns(&trace->ranks[0], offset.at_ns),
                    123456789012);
    CU_ASSERT_EQUAL(wm_trace_error_ns(&trace->ranks[1], wm_trace_ns(&trace->ranks[1], offset.at_ns)), 777 + 50);
    wm_trace_close(trace);
    traces_remove(&traces);
}

static const struct check_case cases[] = {
    CASE(clocks__that_drift_are_joined),
    CASE(clocks__whose_rate_swings_are_joined),
    CASE(clocks__of_two_comparisons_have_a_greater_bound),
    CASE(clocks__of_one_comparison_drift_away_within_the_bound),
    CASE(clocks__of_a_killed_rank_go_on_with_the_last_rate),
    CASE(clocks__survive_damaged_comparisons),
    CASE(clocks__without_comparisons_are_joined_by_wall_clocks),
    CASE(clocks__are_joined_through_a_rank_whose_files_are_missing),
    CASE(clocks__are_shared_by_those_who_say_so),
    CASE(clocks__survive_a_ring_that_comes_round),
};

CHECK_MAIN("clocks", cases)
