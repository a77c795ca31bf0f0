/* The figures of `waymark bench`, the sizes it reads, and its settings on their way to the program that measures. */
#include <string.h>
#include "tests/check.h"
#include "tools/bench/operation.h"
#include "tools/bench/result.h"
#include "tools/bench/settings.h"
#include "tools/bench/sizes.h"

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

static void expect_sizes(const char *text, const uint64_t *bytes, int count)
{
    struct wm_bench_sizes sizes;
    char wrong[WM_BENCH_SIZES_WRONG_CHARS];

    CU_ASSERT_EQUAL_FATAL(wm_bench_sizes_read(&sizes, text, wrong), 0);
    CU_ASSERT_EQUAL_FATAL(sizes.count, count);
    CU_ASSERT_EQUAL(memcmp(sizes.bytes, bytes, (size_t)count * sizeof *bytes), 0);
}

static void sizes__of_a_range_are_its_ends_and_powers_of_two(void)
{
    expect_sizes("8-64", (const uint64_t[]){8, 16, 32, 64}, 4);
    expect_sizes("3-20", (const uint64_t[]){3, 4, 8, 16, 20}, 5);
    expect_sizes("1KiB-1KiB", (const uint64_t[]){1024}, 1);
}

static void sizes__of_a_list_are_sorted_and_stand_once(void)
{
    expect_sizes("1KiB,8,2-8,8", (const uint64_t[]){2, 4, 8, 1024}, 4);
}

static void sizes__that_are_too_many_are_refused(void)
{
    struct wm_bench_sizes sizes;
    char wrong[WM_BENCH_SIZES_WRONG_CHARS], text[4096] = "1";

    for (int i = 2; i <= WM_BENCH_SIZES_MAX + 1; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",%d", i);
    CU_ASSERT(wm_bench_sizes_read(&sizes, text, wrong) < 0);
    CU_ASSERT_STRING_EQUAL(wrong, "'257' makes too many sizes; measure them in several runs");
}

static void operations__are_read_with_either_dash(void)
{
    char wrong[16];

    CU_ASSERT_EQUAL(wm_bench_operations_read("reduce_scatter,copy", wrong, sizeof wrong),
                    1u << WM_REDUCE_SCATTER | 1u << WM_BENCH_COPY);
    CU_ASSERT_EQUAL(wm_bench_operations_read("bcast,scan,", wrong, sizeof wrong), 0);
    CU_ASSERT_STRING_EQUAL(wrong, "");
    CU_ASSERT_EQUAL(wm_bench_operations_read("bcast,bca,scan", wrong, sizeof wrong), 0);
    CU_ASSERT_STRING_EQUAL(wrong, "bca");
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
    CASE(sizes__of_a_range_are_its_ends_and_powers_of_two),
    CASE(sizes__of_a_list_are_sorted_and_stand_once),
    CASE(sizes__that_are_too_many_are_refused),
    CASE(operations__are_read_with_either_dash),
    CASE(settings__come_through_as_they_were),
};

CHECK_MAIN("bench", cases)
