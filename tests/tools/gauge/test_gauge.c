/* Tests of what makes a profile of samples: known parameters go in, with noise and outliers, and come out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/transport.h"
#include "tests/check.h"
#include "tools/gauge/bounds.h"
#include "tools/gauge/build.h"
#include "tools/gauge/conveyors.h"
#include "tools/gauge/fit.h"
#include "tools/gauge/probes.h"
#include "tools/gauge/rounds.h"

enum { ROUNDS = 31 };

static uint64_t state;

static double chance(void)
{
    return (double)(wm_gauge_draw(&state) >> 11) / (double)(UINT64_C(1) << 53);
}

/* A time as it would be measured: a little off, and one of eight by far. */
static double noisy(double ns)
{
    return ns * (1 + 0.02 * (chance() - 0.5)) * (chance() < 0.125 ? 1 + 20 * chance() : 1);
}

static void estimate__is_the_median_whatever_outliers_do(void)
{
    double samples[ROUNDS];
    struct wm_gauge_estimate e;

    for (int i = 0; i < ROUNDS; i++)
        samples[i] = i % 4 == 0 ? 1e9 : 100 + i;
    e = wm_gauge_estimate(samples, ROUNDS);
    CU_ASSERT(e.value > 100 && e.value < 131);
    CU_ASSERT(e.low <= e.value && e.value <= e.high && e.low >= 100);
    CU_ASSERT_EQUAL(e.n, ROUNDS);
    e = wm_gauge_estimate(samples, 0);
    CU_ASSERT_EQUAL(e.value, 0);
    e = wm_gauge_estimate(samples, 1);
    CU_ASSERT(e.value == samples[0] && e.low == e.value && e.high == e.value);
}

enum { PACED_PROBES = 9, PACED_ROUNDS = 40 };
static double paced[PACED_PROBES][WM_GAUGE_ROUNDS_MAX];

/* Probes of 100, 200, … ns, a little off; `slow` rounds from the tenth on take `times` as long. */
static void pace_rounds(int slow, double times)
{
    state = 2;
    for (int i = 0; i < PACED_PROBES; i++)
        for (int round = 0; round < PACED_ROUNDS; round++)
            paced[i][round] =
                100 * (i + 1) * (1 + 0.02 * (chance() - 0.5)) * (round >= 10 && round < 10 + slow ? times : 1);
}

static int count_usual(bool *usual)
{
    int count = 0;

    wm_gauge_find_usual(usual, paced[0], PACED_PROBES, PACED_ROUNDS);
    for (int round = 0; round < PACED_ROUNDS; round++)
        count += usual[round];
    return count;
}

static void rounds__of_a_slower_and_of_a_faster_machine_are_found(void)
{
    bool usual[WM_GAUGE_ROUNDS_MAX];

    pace_rounds(0, 1);
    CU_ASSERT_EQUAL(count_usual(usual), PACED_ROUNDS);
    pace_rounds(12, 1.2);
    CU_ASSERT_EQUAL(count_usual(usual), PACED_ROUNDS - 12);
    CU_ASSERT(usual[9] && !usual[10] && !usual[21] && usual[22]);
    pace_rounds(12, 0.7);
    CU_ASSERT_EQUAL(count_usual(usual), PACED_ROUNDS - 12);
    CU_ASSERT(usual[9] && !usual[10] && !usual[21] && usual[22]);
    pace_rounds(12, 1.1); /* as far as a machine goes by itself */
    CU_ASSERT_EQUAL(count_usual(usual), PACED_ROUNDS);
}

static void rounds__are_told_by_most_probes(void)
{
    bool usual[WM_GAUGE_ROUNDS_MAX];

    pace_rounds(0, 1);
    for (int i = 0; i < PACED_PROBES / 2 - 1; i++) /* less than half of them are slow */
        paced[i][3] *= 10;
    for (int i = 0; i <= PACED_PROBES / 2; i++) /* more than half */
        paced[i][4] *= 10;
    for (int round = 0; round < PACED_ROUNDS; round++) /* tells nothing */
        paced[PACED_PROBES - 1][round] = 0;
    CU_ASSERT_EQUAL(count_usual(usual), PACED_ROUNDS - 1);
    CU_ASSERT(usual[3] && !usual[4]);
}

static void rounds__are_half_at_least_and_all_without_probes(void)
{
    bool usual[WM_GAUGE_ROUNDS_MAX] = {false};

    pace_rounds(0, 1);
    for (int i = 0; i < PACED_PROBES; i++)
        for (int round = 0; round < PACED_ROUNDS; round++)
            paced[i][round] *= 1 + round; /* no two rounds are alike */
    CU_ASSERT(count_usual(usual) >= PACED_ROUNDS / 2 && count_usual(usual) < PACED_ROUNDS);
    wm_gauge_find_usual(usual, paced[0], 0, PACED_ROUNDS);
    for (int round = 0; round < PACED_ROUNDS; round++)
        CU_ASSERT(usual[round]);
}

static void bounds__are_of_the_next_call(void)
{
    struct wm_gauge_miss misses[20];
    struct wm_gauge_bound bounds[20];

    for (int n = 0; n <= 20; n++) {
        for (int i = 0; i < n; i++)
            misses[i] = (struct wm_gauge_miss){8, (i * 7 % n + 1) * 0.01}; /* 0.01 to n percent */
        CU_ASSERT_EQUAL(wm_gauge_find_bounds(bounds, misses, n), n >= WM_GAUGE_BOUND_LEAST);
        if (n >= WM_GAUGE_BOUND_LEAST && n != 14) { /* where seven divides n, misses are not all different */
            CU_ASSERT_DOUBLE_EQUAL(bounds[0].ninety, ceil(0.9 * (n + 1) - 1e-9) * 0.01, 1e-9);
            CU_ASSERT_DOUBLE_EQUAL(bounds[0].median, (n + 1) * 0.005, 1e-9);
            CU_ASSERT(bounds[0].n == n && bounds[0].up_to == 0);
        }
    }
}

/* Errors of sizes drawn between 8 B and 64 KiB: up to 5 %, above 1 KiB ten times as much. */
static struct wm_gauge_miss draw_miss(void)
{
    uint64_t bytes = (UINT64_C(8) << wm_gauge_draw(&state) % 13) + 8 * (wm_gauge_draw(&state) % 2);

    return (struct wm_gauge_miss){bytes, chance() * (bytes > 1024 ? 0.5 : 0.05)};
}

static bool holds(const struct wm_gauge_bound *bounds, struct wm_gauge_miss miss)
{
    while (bounds->up_to != 0 && bounds->up_to < miss.bytes)
        bounds++;
    return miss.error <= bounds->ninety;
}

static void bounds__hold_for_nine_of_ten_small_calls_and_large_ones(void)
{
    enum { CALLS = 60, TIMES = 400 };
    struct wm_gauge_miss misses[CALLS];
    struct wm_gauge_bound bounds[CALLS];
    int held[2] = {0}, all[2] = {0};

    state = 3;
    for (int time = 0; time < TIMES; time++) {
        int count, calls = 0;

        for (int i = 0; i < CALLS; i++)
            misses[i] = draw_miss();
        count = wm_gauge_find_bounds(bounds, misses, CALLS);
        CU_ASSERT(count >= 2 && bounds[count - 1].up_to == 0);
        for (int i = 0; i < count; i++) {
            calls += bounds[i].n;
            CU_ASSERT(bounds[i].n >= WM_GAUGE_BRACKET);
            CU_ASSERT(i + 1 >= count - 1 || bounds[i].up_to < bounds[i + 1].up_to);
        }
        CU_ASSERT_EQUAL(calls, CALLS);
        for (int i = 0; i < CALLS; i++) {
            struct wm_gauge_miss next = draw_miss();

            held[next.bytes > 1024] += holds(bounds, next);
            all[next.bytes > 1024]++;
        }
    }
    CU_ASSERT(held[0] >= 0.89 * all[0] && held[1] >= 0.84 * all[1]); /* not 0.9: a bracket has both */
    CU_ASSERT(held[0] + held[1] >= 0.89 * (all[0] + all[1]));
    CU_ASSERT(held[0] < 0.97 * all[0]); /* nor are bounds so wide that they say nothing */
}

static void fit__makes_one_piece_of_a_line(void)
{
    struct wm_gauge_point points[10];
    struct wm_gauge_piece pieces[10];

    for (int i = 0; i < 10; i++)
        points[i] = (struct wm_gauge_point){UINT64_C(8) << 2 * i, 500 + 0.25 * (double)(UINT64_C(8) << 2 * i)};
    CU_ASSERT_EQUAL_FATAL(wm_gauge_fit(pieces, points, 10, 0, 0.01), 1);
    CU_ASSERT_DOUBLE_EQUAL(pieces[0].base, 500, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(pieces[0].slope, 0.25, 1e-9);
    CU_ASSERT_EQUAL(pieces[0].up_to, 0);
}

static void fit__finds_a_break_and_is_never_negative(void)
{
    struct wm_gauge_point points[] = {{8, 100},     {64, 100},   {512, 100}, {1024, 1000},
                                      {2048, 3000}, {4096, 500}, {8192, 900}};
    struct wm_gauge_piece pieces[8];
    int n = wm_gauge_fit(pieces, points, 7, 50, 0.01);

    CU_ASSERT(n >= 3);
    CU_ASSERT_EQUAL(pieces[0].up_to, 512);
    for (int i = 0; i < n; i++)
        CU_ASSERT(pieces[i].base >= 50 && pieces[i].slope >= 0);
    CU_ASSERT_DOUBLE_EQUAL(wm_gauge_fit_ns(pieces, n, 64), 100, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(wm_gauge_fit_ns(pieces, n, 2048), 3000, 1e-6);
    CU_ASSERT(wm_gauge_fit_ns(pieces, n, 4095) > 3000);
    CU_ASSERT_DOUBLE_EQUAL(wm_gauge_fit_ns(pieces, n, 4096), 500, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(wm_gauge_fit_ns(pieces, n, 8192), 900, 1e-6);
    CU_ASSERT_EQUAL(wm_gauge_fit(pieces, points, 0, 0, 0.01), 0);
    CU_ASSERT_EQUAL(wm_gauge_fit(pieces, points, 1, 0, 0.01), 1);
}

static void fit__takes_a_power_of_two_for_the_limit(void)
{
    struct wm_gauge_point points[] = {{1024, 1000}, {2048, 3000}, {3072, 500}, {4096, 600}};
    struct wm_gauge_piece pieces[5];
    int n = wm_gauge_fit(pieces, points, 4, 50, 0.01);

    CU_ASSERT_EQUAL(n, 2);
    CU_ASSERT_EQUAL(pieces[0].up_to, 2048);
    CU_ASSERT(wm_gauge_fit_ns(pieces, n, 2056) < 500);
}

static void probes__of_a_seed_are_the_same_again(void)
{
    static struct wm_gauge_list one, two, other;

    wm_gauge_list_test(&one, true, 1 << 20, 5, 60);
    wm_gauge_list_test(&two, true, 1 << 20, 5, 60);
    wm_gauge_list_test(&other, true, 1 << 20, 6, 60);
    CU_ASSERT_EQUAL(one.count, 60);
    CU_ASSERT_EQUAL(memcmp(&one, &two, sizeof one), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(&one, &other, sizeof one), 0);
    for (int i = 0; i < one.count; i++)
        CU_ASSERT(one.probes[i].bytes % 8 == 0 && one.probes[i].bytes <= 1 << 20);
}

/* A machine, in ns and ns a byte. */
enum { FLIGHT = 200, STEP = 10, POLL = 10, SEND = 70, LATENCY = 1000, RECEIVE = 70, HANDSHAKE = 400, EAGER = 4096 };
static const double eager_byte = 0.4, byte = 0.1, shared_call = 250, shared_byte = 0.05, combine_byte = 0.2;

/* What a message costs more that meets one, and how much longer data of both take. */
static double meets = 0, slows = 1;

/* What a bcast, allgather, reduce or allreduce of two ranks takes there, as tools/profile/machine.h has it. */
static double time_of(const struct wm_gauge_probe *p)
{
    double bytes = (double)p->bytes, one = STEP + SEND + LATENCY + POLL + RECEIVE;

    if (p->family == WM_GAUGE_SHARED)
        return FLIGHT + STEP + shared_call + shared_byte * bytes;
    if (p->family == WM_GAUGE_SHM_PIECES)
        return FLIGHT + one + (bytes / WM_GAUGE_PIECE_BYTES - 1) * (STEP + SEND);
    one += bytes <= EAGER ? eager_byte * bytes : 2 * POLL + LATENCY + HANDSHAKE + byte * bytes;
    if (p->operation == WM_ALLREDUCE)
        return FLIGHT + 2 * one + STEP;
    if (p->operation == WM_ALLGATHER)
        return FLIGHT + one + STEP + meets + (bytes > EAGER ? (slows - 1) * byte * bytes : 0);
    return FLIGHT + one + (p->operation == WM_REDUCE ? STEP + combine_byte * bytes : 0);
}

static json_t *make_probe(const struct wm_gauge_probe *p, double ns)
{
    json_t *samples = json_array();

    for (int i = 0; i < ROUNDS; i++)
        json_array_append_new(samples, json_real(noisy(ns)));
    return json_pack("{ss, si, sI, so}", "family", wm_gauge_family_name(p->family), "operation", (int)p->operation,
                     "bytes", (json_int_t)p->bytes, "ns", samples);
}

static json_t *make_samples(void)
{
    static struct wm_gauge_list list;
    json_t *probes = json_array();

    state = 1;
    wm_gauge_list_pair(&list, true, 1 << 20);
    for (int i = 0; i < list.count; i++)
        if (list.probes[i].family != WM_GAUGE_MPI && list.probes[i].family != WM_GAUGE_MPI_PIECES)
            json_array_append_new(probes, make_probe(&list.probes[i], time_of(&list.probes[i])));
    return json_pack("{ss, si, si, s[], s[f, f, f], s[{ss, ss, si, si, so}]}", "host", "nowhere", "cores", 2,
                     "local_ranks", 2, "copies", "yields", 8100.0, 8000.0, 365.0, "groups", "level", "core", "machine",
                     "core=2", "ranks", 2, "eager", 0, "probes", probes);
}

static void check_near(const struct wm_profile_row *row, int parameter, double expected)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_DOUBLE_EQUAL((double)row->values[parameter].value, expected, 0.1 * expected + 1);
    CU_ASSERT(row->values[parameter].low <= row->values[parameter].high);
}

static void build__gives_back_what_went_in(void)
{
    struct wm_profile p = {0};
    struct wm_error error;
    json_t *samples = make_samples();
    const struct wm_profile_row *row;

    CU_ASSERT_EQUAL_FATAL(wm_gauge_build(&p, samples, &error), 0);
    row = wm_profile_find(&p, WM_PROFILE_MESSAGE, "core", WM_NET_SHM, 0, 8);
    check_near(row, WM_MESSAGE_SEND, SEND * 1e3);
    check_near(row, WM_MESSAGE_LATENCY, LATENCY * 1e3);
    row = wm_profile_find(&p, WM_PROFILE_MESSAGE, "core", WM_NET_SHM, 0, 4096);
    check_near(row, WM_MESSAGE_SEND_BYTE, eager_byte / 2 * 1e6);
    row = wm_profile_find(&p, WM_PROFILE_MESSAGE, "core", WM_NET_SHM, 0, 1 << 20);
    check_near(row, WM_MESSAGE_BYTE, byte * 1e6);
    row = wm_profile_find(&p, WM_PROFILE_LINK, "core", WM_NET_SHM, 0, 0);
    CU_ASSERT_EQUAL(row->values[WM_LINK_EAGER].value, WM_SHM_EAGER_BYTES);
    row = wm_profile_find(&p, WM_PROFILE_SHARED, "bcast", 0, 2, 1 << 20);
    check_near(row, WM_SHARED_BYTE, shared_byte * 1e6);
    row = wm_profile_find(&p, WM_PROFILE_SHARED, "allgather", 0, 2, 1 << 20); /* of both shares */
    check_near(row, WM_SHARED_BYTE, shared_byte / 2 * 1e6);
    row = wm_profile_find(&p, WM_PROFILE_KERNEL, "combine", 0, 0, 1 << 20);
    check_near(row, WM_KERNEL_BYTE, combine_byte * 1e6);
    row = wm_profile_find(&p, WM_PROFILE_HOST, "", 0, 0, 0);
    CU_ASSERT_EQUAL(row->values[WM_HOST_YIELD].origin, WM_MEASURED);
    check_near(row, WM_HOST_YIELD, 8000 * 1e3); /* the middle one */
    CU_ASSERT_STRING_EQUAL(p.fingerprint.grid, "core=2");
    wm_profile_release(&p);
    json_decref(samples);
}

static void build__tells_messages_that_meet_by_size(void)
{
    struct wm_profile p = {0};
    struct wm_error error;
    const struct wm_profile_row *row;
    json_t *samples;

    meets = 600;
    slows = 1.5;
    samples = make_samples();
    CU_ASSERT_EQUAL_FATAL(wm_gauge_build(&p, samples, &error), 0);
    check_near(wm_profile_find(&p, WM_PROFILE_MESSAGE, "core", WM_NET_SHM, 0, 8), WM_MESSAGE_CROSS, meets * 1e3);
    row = wm_profile_find(&p, WM_PROFILE_MESSAGE, "core", WM_NET_SHM, 0, 1 << 20);
    check_near(row, WM_MESSAGE_BYTE, byte * 1e6);
    check_near(row, WM_MESSAGE_SEND_BYTE, slows / 2 * byte * 1e6);
    check_near(row, WM_MESSAGE_RECEIVE_BYTE, slows / 2 * byte * 1e6);
    CU_ASSERT(row->values[WM_MESSAGE_CROSS].value > 0 && row->values[WM_MESSAGE_CROSS].value < 3 * meets * 1e3);
    meets = 0;
    slows = 1;
    wm_profile_release(&p);
    json_decref(samples);
}

/* Two hosts, ns: what a receiver copies, a byte, and what a message costs it that meets one the other way. */
static const double wire = 0.2, copied = 0.1, met = 3000;

static double far_time_of(const struct wm_gauge_probe *p)
{
    double bytes = (double)p->bytes, ends = FLIGHT + STEP + SEND + LATENCY + POLL + RECEIVE, piece;

    if (p->family == WM_GAUGE_MPI_PIECES)
        return ends + (bytes / WM_GAUGE_PIECE_BYTES - 1) * (STEP + SEND);
    piece = POLL + RECEIVE + copied * WM_GAUGE_BULK_BYTES;
    if (p->family == WM_GAUGE_MPI_BULK)
        return ends + (wire + copied) * WM_GAUGE_BULK_BYTES + (bytes / WM_GAUGE_BULK_BYTES - 1) * piece;
    if (p->operation == WM_ALLREDUCE)
        return 2 * (ends + (wire + copied) * bytes) - FLIGHT;
    return ends + (wire + copied) * bytes + (p->operation == WM_ALLGATHER ? STEP + met : 0);
}

static void build__tells_what_the_wire_takes_from_what_is_copied(void)
{
    struct wm_profile p = {0};
    struct wm_error error;
    json_t *samples = make_samples(), *group = json_array_get(json_object_get(samples, "groups"), 0);
    static struct wm_gauge_list list;
    json_t *probes = json_array();
    const struct wm_profile_row *row;

    state = 2;
    wm_gauge_list_pair(&list, false, 48 << 10);
    for (int i = 0; i < list.count; i++)
        json_array_append_new(probes, make_probe(&list.probes[i], far_time_of(&list.probes[i])));
    json_object_set_new(group, "level", json_string("node"));
    json_object_set_new(group, "machine", json_string("node=2"));
    json_object_set_new(group, "eager", json_integer(48 << 10));
    json_object_set_new(group, "probes", probes);
    CU_ASSERT_EQUAL_FATAL(wm_gauge_build(&p, samples, &error), 0);
    check_near(wm_profile_find(&p, WM_PROFILE_MESSAGE, "node", WM_NET_MPI, 0, 8), WM_MESSAGE_CROSS, met * 1e3);
    row = wm_profile_find(&p, WM_PROFILE_MESSAGE, "node", WM_NET_MPI, 0, 32 << 10);
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_DOUBLE_EQUAL((double)row->values[WM_MESSAGE_RECEIVE].value * 1e-3 +
                               (double)row->values[WM_MESSAGE_RECEIVE_BYTE].value * 1e-6 * WM_GAUGE_BULK_BYTES,
                           RECEIVE + copied * WM_GAUGE_BULK_BYTES, 400);
    row = wm_profile_find(&p, WM_PROFILE_HOST, "", 0, 0, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    for (uint64_t bytes = 1 << 10; bytes <= 48 << 10; bytes *= 2)
        CU_ASSERT(
            wm_profile_find(&p, WM_PROFILE_MESSAGE, "node", WM_NET_MPI, 0, bytes)->values[WM_MESSAGE_BYTE].value >=
            row->values[WM_HOST_OUT].value);
    wm_profile_release(&p);
    json_decref(samples);
}

/* Two clusters, ns: a line that takes all the time, and no core's, and brings a byte after the other. */
static const double line = 2e6, line_byte = 40;

static double farthest_time_of(const struct wm_gauge_probe *p)
{
    double bytes = (double)p->bytes, ends = FLIGHT + STEP + SEND + line + POLL + RECEIVE;

    if (p->family == WM_GAUGE_MPI_PIECES)
        return ends + (bytes / WM_GAUGE_PIECE_BYTES - 1) * (STEP + SEND);
    if (p->operation == WM_ALLREDUCE)
        return 2 * (ends + line_byte * bytes) - FLIGHT;
    return ends + line_byte * bytes;
}

static void build__leaves_the_time_between_clusters_to_the_line(void)
{
    struct wm_profile p = {0};
    struct wm_error error;
    json_t *samples = make_samples(), *probes = json_array();
    static struct wm_gauge_list list;
    const struct wm_profile_row *row;

    state = 3;
    wm_gauge_list_pair(&list, false, 1 << 20);
    for (int i = 0; i < list.count; i++)
        json_array_append_new(probes, make_probe(&list.probes[i], farthest_time_of(&list.probes[i])));
    json_array_append_new(json_object_get(samples, "groups"),
                          json_pack("{ss, ss, si, si, so}", "level", "cluster", "machine", "cluster=2,node=2,core=1",
                                    "ranks", 2, "eager", 1 << 20, "probes", probes));
    CU_ASSERT_EQUAL_FATAL(wm_gauge_build(&p, samples, &error), 0);
    for (uint64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
        row = wm_profile_find(&p, WM_PROFILE_MESSAGE, "cluster", WM_NET_MPI, 0, bytes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(row);
        CU_ASSERT(row->values[WM_MESSAGE_RECEIVE].value < 10 * RECEIVE * 1000);
        CU_ASSERT_EQUAL(row->values[WM_MESSAGE_RECEIVE_BYTE].value, 0);
        CU_ASSERT_DOUBLE_EQUAL((double)row->values[WM_MESSAGE_LATENCY].value * 1e-3 +
                                   (double)row->values[WM_MESSAGE_BYTE].value * 1e-6 * (double)bytes,
                               line + line_byte * (double)bytes, 0.05 * (line + line_byte * (double)bytes));
    }
    row = wm_profile_find(&p, WM_PROFILE_CUT, "cluster", 0, 0, 0);
    check_near(row, WM_CUT_OUT, line_byte * 1e6);
    row = wm_profile_find(&p, WM_PROFILE_HOST, "", 0, 0, 0); /* their cards carry more */
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL(row->values[WM_HOST_OUT].value, 0);
    wm_profile_release(&p);
    json_decref(samples);
}

/* Conveyors there, ns: of items that are inlined, and of their rings' pieces and parcels. */
static const double push = 2, pull = 1.5, cross = 0.5, relay = 4, piece = 100, turn = 600, parcel = 1500, trip = 1000,
                    ring_end = 700, parcel_end = 2500;

static double units_of(const struct wm_gauge_conveyor *c, int tag_bytes)
{
    int units = (int)(c->buffer_bytes / (c->item_bytes + (uint64_t)tag_bytes));

    return units > 64 ? units / 8 * 8 : units;
}

/* What an item of a run takes on two ranks of a host, as tools/predict/conveyor.h has it. */
static double item_of(const struct wm_gauge_conveyor *c)
{
    double pieces = c->buffers > 1 ? c->buffers : 2, halves = c->buffers > 1 ? 1 : 2,
           ring = (piece + turn / pieces) * halves, item = push + pull;

    if (c->aim != WM_GAUGE_ANY)
        return item + (c->aim == WM_GAUGE_NEXT ? cross : 0) + ring / units_of(c, 0);
    if (c->net == WM_NET_MPI)
        return item + (ring + parcel + trip / c->buffers) / units_of(c, 0) / 2;
    item += cross / 2 + ring / units_of(c, 0);
    return c->hops == 1 ? item : item + (relay + ring / units_of(c, 1)) * (c->hops == 2 ? 0.5 : 2);
}

static json_t *make_conveyor(const struct wm_gauge_conveyor *c)
{
    static const char *const keys[] = {"run", "begin", "drain", "push", "pull"};
    double run = c->items == 1 ? (c->net == WM_NET_MPI ? parcel_end : ring_end) : (double)c->items * item_of(c);
    const double values[] = {run, 1200, run / 10, push * (double)c->items, pull * (double)c->items};
    json_t *json = wm_gauge_conveyor_write(c);

    for (int k = 0; k < 5; k++) {
        json_t *list = json_array();

        for (int i = 0; i < ROUNDS; i++)
            json_array_append_new(list, json_real(values[k] * (i % 8 == 0 ? 20 : 1)));
        json_object_set_new(json, keys[k], list);
    }
    return json;
}

static void build__gives_back_what_conveyors_cost(void)
{
    static struct wm_gauge_conveyors list;
    struct wm_profile p = {0};
    json_t *conveyors = json_array(), *near;
    const struct wm_profile_row *row;

    wm_gauge_conveyors_pair(&list, true);
    for (int i = 0; i < list.count; i++)
        json_array_append_new(conveyors, make_conveyor(&list.of[i]));
    near = json_pack("{so}", "conveyors", conveyors);
    CU_ASSERT_EQUAL_FATAL(wm_gauge_conveyors_build(&p, near, NULL, NULL), 0);
    for (uint64_t bytes = 8; bytes <= 128; bytes *= 4) {
        row = wm_profile_find(&p, WM_PROFILE_ITEM, "inlined", WM_NET_SHM, 0, bytes);
        check_near(row, WM_ITEM_PUSH, push * 1e3);
        check_near(row, WM_ITEM_PULL, pull * 1e3);
        check_near(row, WM_ITEM_CROSS, cross * 1e3);
        check_near(row, WM_ITEM_RELAY, relay * 1e3);
    }
    row = wm_profile_find(&p, WM_PROFILE_BUFFER, "core", WM_NET_SHM, 0, 0);
    check_near(row, WM_BUFFER_HAND, piece * 1e3);
    check_near(row, WM_BUFFER_WAIT, turn * 1e3);
    row = wm_profile_find(&p, WM_PROFILE_BUFFER, "core", WM_NET_MPI, 0, 2048);
    check_near(row, WM_BUFFER_HAND, parcel * 1e3);
    check_near(row, WM_BUFFER_WAIT, trip * 1e3);
    row = wm_profile_find(&p, WM_PROFILE_CONVEYOR, "core", WM_NET_MPI, 0, 0);
    check_near(row, WM_CONVEYOR_END, parcel_end * 1e3);
    check_near(row, WM_CONVEYOR_BEGIN, 1200 * 1e3);
    check_near(row, WM_CONVEYOR_DRAIN, parcel_end / 10 * 1e3);
    wm_profile_release(&p);
    json_decref(near);
}

static void build__refuses_what_is_no_samples(void)
{
    struct wm_profile p = {0};
    struct wm_error error;
    json_t *nothing = json_object();

    CU_ASSERT_EQUAL(wm_gauge_build(&p, nothing, &error), -WM_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "measure again"));
    wm_profile_release(&p);
    json_decref(nothing);
}

static const struct check_case cases[] = {
    CASE(estimate__is_the_median_whatever_outliers_do),
    CASE(rounds__of_a_slower_and_of_a_faster_machine_are_found),
    CASE(rounds__are_told_by_most_probes),
    CASE(rounds__are_half_at_least_and_all_without_probes),
    CASE(bounds__are_of_the_next_call),
    CASE(bounds__hold_for_nine_of_ten_small_calls_and_large_ones),
    CASE(fit__makes_one_piece_of_a_line),
    CASE(fit__finds_a_break_and_is_never_negative),
    CASE(fit__takes_a_power_of_two_for_the_limit),
    CASE(probes__of_a_seed_are_the_same_again),
    CASE(build__gives_back_what_went_in),
    CASE(build__tells_messages_that_meet_by_size),
    CASE(build__tells_what_the_wire_takes_from_what_is_copied),
    CASE(build__leaves_the_time_between_clusters_to_the_line),
    CASE(build__gives_back_what_conveyors_cost),
    CASE(build__refuses_what_is_no_samples),
};

CHECK_MAIN("gauge", cases)
