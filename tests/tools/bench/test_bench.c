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
                                       .module_count = 2,
                                       .modules = {"default", "sm"},
                                       .operations = 5,
                                       .sizes = {2, {8, 16}},
                                       .rounds = 3,
                                       .rotations = {2, {0, 1 << 20}},
                                       .format = "csv",
                                       .plot = "p.svg"},
                             after;
    json_t *json = wm_bench_settings_pack(&before);

    CU_ASSERT_FATAL(wm_bench_settings_unpack(&after, json));
    CU_ASSERT(after.map_count == 2 && after.module_count == 2 && after.operations == 5 && after.rounds == 3);
    CU_ASSERT(after.rotations.count == 2 && after.rotations.bytes[1] == 1 << 20 && after.sizes.count == 2 &&
              after.sizes.bytes[1] == 16);
    CU_ASSERT_STRING_EQUAL(after.modules[1], "sm");
    CU_ASSERT_STRING_EQUAL(after.maps[1], "a\"b.scm");
    CU_ASSERT_STRING_EQUAL(after.files[0], "/x/ring.scm");
    CU_ASSERT_STRING_EQUAL(after.format, "csv");
    CU_ASSERT_STRING_EQUAL(after.plot, "p.svg");
    CU_ASSERT_PTR_NULL(after.output);
    json_object_del(json, "sizes");
    CU_ASSERT_FALSE(wm_bench_settings_unpack(&after, json));
    json_decref(json);
}

static void modules__are_read_in_their_order(void)
{
    struct wm_bench_settings s = {.module_count = 1, .modules = {"default"}};
    char wrong[WM_BENCH_WRONG_CHARS];

    CU_ASSERT_EQUAL(wm_bench_modules_read(&s, "sm,default,tuned", wrong), 0);
    CU_ASSERT(s.module_count == 3 && strcmp(s.modules[0], "sm") == 0 && strcmp(s.modules[2], "tuned") == 0);
    CU_ASSERT_EQUAL(wm_bench_modules_read(&s, "none", wrong), 0);
    CU_ASSERT_EQUAL(s.module_count, 0);
}

static void modules__that_are_no_list_are_refused(void)
{
    static const char *const lists[][2] = {
        {"", "'' is no name of a module; write one such as 'tuned', or 'default'"},
        {"sm,,tuned", "'' is no name of a module; write one such as 'tuned', or 'default'"},
        {"sm,^tuned", "'^tuned' is no name of a module; write one such as 'tuned', or 'default'"},
        {"sm,sm", "'sm' is named twice"},
        {"sm,none", "'none' stands beside modules; leave it or them out"},
        {"a,b,c,d,e,f,g,h,i", "'i' is one module too many; measure it in another run"},
    };
    struct wm_bench_settings s = {0};
    char wrong[WM_BENCH_WRONG_CHARS];

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        CU_ASSERT(wm_bench_modules_read(&s, lists[i][0], wrong) < 0);
        CU_ASSERT_STRING_EQUAL(wrong, lists[i][1]);
    }
}

/* An operation of two sizes; at the second one, sm erred. */
static json_t *new_operation(void)
{
    return json_pack("{s[{sis[{sssbsfsfsf},{sssbsfsfsf},{sssfsfsf}]},{sis[{sssbsfsfsf},{sssb},{sssfsfsf}]}]}", "sizes",
                     "bytes", 8, "results", "contender", "default", "native", 1, "min_ns", 1.0, "median_ns", 8.0,
                     "p95_ns", 9.0, "contender", "sm", "native", 1, "min_ns", 1.0, "median_ns", 3.0, "p95_ns", 9.0,
                     "contender", "fast", "min_ns", 1.0, "median_ns", 2.0, "p95_ns", 9.0, "bytes", 16, "results",
                     "contender", "default", "native", 1, "min_ns", 1.0, "median_ns", 8.0, "p95_ns", 9.0, "contender",
                     "sm", "native", 1, "contender", "fast", "min_ns", 1.0, "median_ns", 2.0, "p95_ns", 9.0);
}

static void ratios__are_held_against_the_best_module_of_each_size(void)
{
    json_t *operation = new_operation();
    const json_t *sizes = json_object_get(operation, "sizes");
    struct wm_bench_ratios r = wm_bench_ratios_of(operation, "fast");

    CU_ASSERT_STRING_EQUAL(wm_bench_best_native(json_array_get(sizes, 0)), "sm");
    CU_ASSERT_STRING_EQUAL(wm_bench_best_native(json_array_get(sizes, 1)), "default"); /* sm erred there */
    CU_ASSERT(r.count == 2 && r.worst == 1.5 && r.best == 4 && r.median == 2.75);
    CU_ASSERT(r.worst_size == json_array_get(sizes, 0) && r.best_size == json_array_get(sizes, 1));
    CU_ASSERT_EQUAL(wm_bench_ratios_of(operation, "ring").count, 0);
    json_decref(operation);
}

static const struct check_case cases[] = {
    CASE(figures__come_from_sorted_samples),     CASE(figures__of_few_samples_are_among_them),
    CASE(operations__have_a_row_each),           CASE(modules__are_read_in_their_order),
    CASE(modules__that_are_no_list_are_refused), CASE(ratios__are_held_against_the_best_module_of_each_size),
    CASE(settings__come_through_as_they_were),
};

CHECK_MAIN("bench", cases)
