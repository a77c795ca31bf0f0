/* The figures of `waymark bench`, the sizes it reads, and its settings on their way to the program that measures. */
#include <string.h>
#include "tests/check.h"
#include "tools/bench/operation.h"
#include "tools/bench/result.h"
#include "tools/bench/settings.h"

static void figures__come_from_sorted_samples(void)
{
    double samples[100];
    struct wm_bench_times t;

    for (int i = 0; i < 100; i++)
        samples[i] = (i * 37 + 11) % 100 + 1; /* 1 to 100, shuffled */
    t = wm_bench_times_of(samples, 100);
    CU_ASSERT_EQUAL(t.min_ns, 1);
    CU_ASSERT_EQUAL(t.median_ns, 50.5);
    CU_ASSERT_EQUAL(t.p95_ns, 95);
}

static void figures__of_few_samples_are_among_them(void)
{
    double one[] = {7}, three[] = {9, 1, 4}, five[] = {5, 4, 3, 2, 1};
    struct wm_bench_times t = wm_bench_times_of(one, 1);

    CU_ASSERT(t.min_ns == 7 && t.median_ns == 7 && t.p95_ns == 7);
    t = wm_bench_times_of(three, 3);
    CU_ASSERT(t.min_ns == 1 && t.median_ns == 4 && t.p95_ns == 9);
    t = wm_bench_times_of(five, 5);
    CU_ASSERT(t.min_ns == 1 && t.median_ns == 3 && t.p95_ns == 5);
}

static void operations__have_a_row_each(void)
{
    for (int operation = 0; operation < WM_BENCH_OPERATION_COUNT; operation++)
        CU_ASSERT_PTR_NOT_NULL(wm_bench_operation(operation).meaning);
}

static void settings__come_through_as_they_were(void)
{
    struct wm_bench_settings before = {.map_count = 2,
                                       .maps = {"ring", "a\"b.scm"},
                                       .files = {"/x/ring.scm", "/x/a\"b.scm"},
                                       .native = true,
                                       .operations = 5,
                                       .sizes = {2, {8, 16}},
                                       .rounds = 3,
                                       .rotate_bytes = 1 << 20,
                                       .format = "csv",
                                       .plot = "p.svg"},
                             after;
    json_t *json = wm_bench_settings_pack(&before);

    CU_ASSERT_FATAL(wm_bench_settings_unpack(&after, json));
    CU_ASSERT(after.map_count == 2 && after.native && after.operations == 5 && after.rounds == 3);
    CU_ASSERT(after.rotate_bytes == 1 << 20 && after.sizes.count == 2 && after.sizes.bytes[1] == 16);
    CU_ASSERT_STRING_EQUAL(after.maps[1], "a\"b.scm");
    CU_ASSERT_STRING_EQUAL(after.files[0], "/x/ring.scm");
    CU_ASSERT_STRING_EQUAL(after.format, "csv");
    CU_ASSERT_STRING_EQUAL(after.plot, "p.svg");
    CU_ASSERT_PTR_NULL(after.output);
    json_object_del(json, "sizes");
    CU_ASSERT_FALSE(wm_bench_settings_unpack(&after, json));
    json_decref(json);
}

static const struct check_case cases[] = {
    CASE(figures__come_from_sorted_samples),
    CASE(figures__of_few_samples_are_among_them),
    CASE(operations__have_a_row_each),
    CASE(settings__come_through_as_they_were),
};

CHECK_MAIN("bench", cases)
