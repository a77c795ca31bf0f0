/* The comparison of two runs: known shifts are found, none is invented, and what cannot be said is not said. */
#include <math.h>
#include "tests/check.h"
#include "tests/tracer/traces.h"
#include "tools/diff/show.h"

static const char map_text[] = "(path-map\n"
                               "  (on allreduce\n"
                               "    (path (trace 'all)\n"
                               "          (reduce core #:shape 'flat))))\n";
static const char moved_text[] = "; a line more\n"
                                 "(path-map\n"
                                 "  (on allreduce\n"
                                 "    (path (trace 'all)\n"
                                 "          (reduce core #:shape 'flat))))\n";
static const char edited_text[] = "(path-map\n"
                                  "  (on allreduce\n"
                                  "    (path (trace 'all)\n"
                                  "          (reduce core #:shape 'binomial))))\n";

/* A run of two ranks: `calls` allreduces of 64 bytes, whose durations are lognormal about 20 µs * scale. */
struct plan {
    uint64_t seed;
    int calls;
    double scale, noise;
    const char *map;
    int line;   /* of the trace wrapper; 0: native */
    int others; /* native barriers behind the allreduces */
};

struct runs {
    struct traces traces[2];
    struct wm_trace *trace[2];
    struct wm_samples samples[2];
    struct wm_diff diff;
    char sentence[WM_DIFF_CHARS];
};

static double unit(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*seed >> 12) + 0.5) / 4503599627370496.0;
}

static double normal(uint64_t *seed)
{
    double radius = sqrt(-2 * log(unit(seed)));

    return radius * cos(2 * M_PI * unit(seed));
}

/* Rank 1 sends to rank 0 in the middle half of the call. */
static void put_call(struct traces *traces, int node, uint32_t sequence, int64_t at_ns, int64_t length_ns)
{
    for (int i = 0; i < 2; i++)
        traces_put(traces, i, at_ns, WM_TRACE_ENTER, WM_ALLREDUCE, node, -1, sequence, 64);
    if (node > 0) {
        uint64_t edge = WM_TRACE_EDGE(0, 64);

        traces_put(traces, 0, at_ns + length_ns / 4, WM_TRACE_RECV_POST, WM_ALLREDUCE, 2, 1, sequence, edge);
        traces_put(traces, 1, at_ns + length_ns / 4, WM_TRACE_SEND_POST, WM_ALLREDUCE, 2, 0, sequence, edge);
        traces_put(traces, 1, at_ns + length_ns / 2, WM_TRACE_SEND_DONE, WM_ALLREDUCE, 2, 0, sequence, edge);
        traces_put(traces, 0, at_ns + 3 * length_ns / 4, WM_TRACE_RECV_DONE, WM_ALLREDUCE, 2, 1, sequence, edge);
    }
    for (int i = 0; i < 2; i++)
        traces_put(traces, i, at_ns + length_ns, WM_TRACE_LEAVE, WM_ALLREDUCE, node, -1, sequence, 64);
}

static void make_run(struct traces *traces, const struct plan *plan)
{
    uint64_t seed = plan->seed * 0x9e3779b97f4a7c15u + 7;
    int64_t at_ns = 1000;
    uint32_t sequence = 0;

    traces_open(traces, 2, 1 << 18, WM_TRACE_FLIGHT, plan->map);
    if (plan->line > 0) {
        traces_define_node(traces->recorders[0], 1, "trace", plan->line, 11, "all");
        traces_define_node(traces->recorders[0], 2, "reduce", plan->line + 1, 11, "core flat");
    }
    for (int i = 0; i < plan->calls; i++, at_ns += 100000) {
        int64_t length_ns = (int64_t)(20000 * plan->scale * exp(plan->noise * normal(&seed)));

        put_call(traces, plan->line > 0 ? 1 : 0, sequence++, at_ns, length_ns);
    }
    for (int i = 0; i < plan->others; i++, at_ns += 100000, sequence++)
        for (int k = 0; k < 2; k++) {
            traces_put(traces, k, at_ns, WM_TRACE_ENTER, WM_BARRIER, 0, -1, sequence, 0);
            traces_put(traces, k, at_ns + 100 + 10 * (i % 7), WM_TRACE_LEAVE, WM_BARRIER, 0, -1, sequence, 0);
        }
    traces_close(traces);
}

static void compare(struct runs *runs, const struct plan *first, const struct plan *second)
{
    struct wm_error error = {0};

    for (int i = 0; i < 2; i++) {
        make_run(&runs->traces[i], i == 0 ? first : second);
        CU_ASSERT_EQUAL_FATAL(wm_trace_open(&runs->trace[i], runs->traces[i].directory, &error), 0);
        CU_ASSERT_EQUAL_FATAL(wm_samples_take(&runs->samples[i], runs->trace[i]), 0);
    }
    CU_ASSERT_EQUAL_FATAL(wm_diff_make(&runs->diff, &runs->samples[0], &runs->samples[1], 0.05), 0);
    wm_diff_sentence(&runs->diff, runs->sentence, sizeof runs->sentence);
}

static void release(struct runs *runs)
{
    wm_diff_release(&runs->diff);
    for (int i = 0; i < 2; i++) {
        wm_samples_release(&runs->samples[i]);
        wm_trace_close(runs->trace[i]);
        traces_remove(&runs->traces[i]);
    }
}

/* The row of this kind whose text holds these words; fails the test when there is none. */
static const struct wm_diff_row *row_of(const struct runs *runs, enum wm_series_kind kind, const char *words)
{
    static const struct wm_diff_row none;
    char text[512];

    for (size_t i = 0; i < runs->diff.count; i++) {
        const struct wm_diff_row *row = &runs->diff.rows[i];

        wm_diff_row_text(&runs->diff, row, text, sizeof text);
        if ((row->b != NULL ? row->b : row->a)->kind == kind && strstr(text, words) != NULL)
            return row;
    }
    CU_FAIL("no such row");
    fprintf(stderr, "no row says: %s\n", words);
    return &none;
}

static void expect_sentence(const struct runs *runs, const char *words)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(runs->sentence, words));
    if (strstr(runs->sentence, words) == NULL)
        fprintf(stderr, "missing: %s\nin: %s\n", words, runs->sentence);
}

static void a_slowdown_of_a_fifth__is_found_everywhere(void)
{
    struct runs runs;
    const struct wm_diff_row *row;

    compare(&runs, &(struct plan){1, 200, 1.0, 0.2, map_text, 3, 0}, &(struct plan){2, 200, 1.2, 0.2, map_text, 3, 0});
    row = row_of(&runs, WM_SERIES_CALL, "allreduce of 64 B on 2 ranks");
    CU_ASSERT_EQUAL(row->verdict, WM_VERDICT_SLOWER);
    CU_ASSERT_TRUE(row->time.low < 1.2 && row->time.high > 1.2);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_LINE, "(trace 'all)")->verdict, WM_VERDICT_SLOWER);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_LINE, "(reduce core")->verdict, WM_VERDICT_SLOWER);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_EDGE, "1 → 0")->verdict, WM_VERDICT_SLOWER);
    CU_ASSERT_TRUE(runs.diff.total_regressed && runs.diff.regressed);
    expect_sentence(&runs, "more time in its collectives (95 % interval ");
    expect_sentence(&runs, ": slower: allreduce of 64 B on 2 ranks at cluster.scm:3 (");
    release(&runs);
}

static void a_speedup__is_no_regression(void)
{
    struct runs runs;

    compare(&runs, &(struct plan){1, 100, 2.0, 0.2, map_text, 3, 0}, &(struct plan){2, 100, 1.0, 0.2, map_text, 3, 0});
    CU_ASSERT_EQUAL(runs.diff.total_verdict, WM_VERDICT_FASTER);
    CU_ASSERT_FALSE(runs.diff.regressed);
    expect_sentence(&runs, "is 2 times faster in its collectives (95 % interval ");
    release(&runs);
}

/* The total alone is judged at 5 %, all rows together at another 5 %. */
static void equal_runs__seldom_differ(void)
{
    enum { PAIRS = 60 };
    int totals = 0, rows = 0, regressed = 0;

    for (int i = 0; i < PAIRS; i++) {
        struct runs runs;
        bool any = false;

        compare(&runs, &(struct plan){1000 + i, 60, 1, 0.3, map_text, 3, 0},
                &(struct plan){5000 + i, 60, 1, 0.3, map_text, 3, 0});
        for (size_t k = 0; k < runs.diff.count; k++)
            any |= runs.diff.rows[k].verdict == WM_VERDICT_FASTER || runs.diff.rows[k].verdict == WM_VERDICT_SLOWER;
        rows += any;
        totals += runs.diff.total_verdict == WM_VERDICT_FASTER || runs.diff.total_verdict == WM_VERDICT_SLOWER;
        regressed += runs.diff.regressed;
        release(&runs);
    }
    CU_ASSERT_TRUE(totals <= 9);
    CU_ASSERT_TRUE(rows <= 9);
    CU_ASSERT_TRUE(regressed <= 2);
}

/* Series whose neighbours are alike, of which the true ratio is known: intervals hold it in about 95 of 100 cases. */
static int coverage_of(enum wm_statistic statistic, int count, double alike)
{
    enum { TRIALS = 120 };
    static struct wm_resample resamples[2];
    static double values[1000];
    uint64_t seed = 11;
    int held = 0;

    for (int i = 0; i < TRIALS; i++) {
        struct wm_ratio ratio;

        for (int side = 0; side < 2; side++) {
            double x = normal(&seed);

            for (int k = 0; k < count; k++) {
                x = alike * x + sqrt(1 - alike * alike) * normal(&seed);
                values[k] = (side == 0 ? 1 : 1.2) * exp(0.3 * x);
            }
            CU_ASSERT_EQUAL(
                wm_resample_make(&resamples[side], values, (size_t)count, statistic, (uint64_t)(2 * i + side)), 0);
        }
        ratio = wm_ratio_make(&resamples[0], &resamples[1], 20);
        CU_ASSERT_TRUE(ratio.known);
        CU_ASSERT_TRUE(ratio.sure_low <= ratio.low && ratio.high <= ratio.sure_high);
        held += ratio.low <= 1.2 && 1.2 <= ratio.high;
    }
    return held * 100 / TRIALS;
}

static void intervals__hold_the_truth_as_often_as_they_say(void)
{
    for (int count = 8; count <= 1000; count *= 5)
        for (int statistic = WM_MEAN; statistic <= WM_MEDIAN; statistic++) {
            int independent = coverage_of((enum wm_statistic)statistic, count, 0);

            CU_ASSERT_TRUE(independent >= 88 && independent <= 99);
        }
    CU_ASSERT_TRUE(coverage_of(WM_MEAN, 200, 0.3) >= 87);
    CU_ASSERT_TRUE(coverage_of(WM_MEDIAN, 1000, 0.3) >= 87);
}

static void student__has_the_quantiles_of_the_tables(void)
{
    CU_ASSERT_DOUBLE_EQUAL(wm_student_quantile(0.05, 1), 12.706, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(wm_student_quantile(0.05, 4), 2.776, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(wm_student_quantile(0.01, 10), 3.169, 0.001);
    CU_ASSERT_DOUBLE_EQUAL(wm_student_quantile(0.05, 1e9), 1.97, 0.01);
}

static void an_answer__does_not_change(void)
{
    struct plan first = {1, 50, 1, 0.3, map_text, 3, 0}, second = {2, 50, 1.1, 0.3, map_text, 3, 0};
    struct runs runs, again;

    compare(&runs, &first, &second);
    compare(&again, &first, &second);
    CU_ASSERT_EQUAL(runs.diff.total.low, again.diff.total.low);
    CU_ASSERT_EQUAL(runs.diff.total.high, again.diff.total.high);
    release(&runs);
    release(&again);
}

static void a_line_that_moved__is_the_same_line(void)
{
    struct runs runs;
    const struct wm_diff_row *row;

    compare(&runs, &(struct plan){1, 50, 1, 0.1, map_text, 3, 0}, &(struct plan){2, 50, 1, 0.1, moved_text, 4, 0});
    row = row_of(&runs, WM_SERIES_LINE, "(reduce core");
    CU_ASSERT_PTR_NOT_NULL(row->a);
    CU_ASSERT_PTR_NOT_NULL(row->b);
    CU_ASSERT_FALSE(row->by_position);
    CU_ASSERT_TRUE(row->time.known);
    release(&runs);
}

static void an_edited_line__is_known_by_its_place(void)
{
    struct runs runs;
    const struct wm_diff_row *row;

    compare(&runs, &(struct plan){1, 50, 1, 0.1, map_text, 3, 0}, &(struct plan){2, 50, 1, 0.1, edited_text, 3, 0});
    row = row_of(&runs, WM_SERIES_LINE, "(reduce core #:shape 'binomial), was (reduce core #:shape 'flat)");
    CU_ASSERT_TRUE(row->by_position);
    CU_ASSERT_TRUE(row->time.known);
    release(&runs);
}

static void native_calls__are_compared_with_planned_ones(void)
{
    struct runs runs;

    compare(&runs, &(struct plan){1, 50, 2, 0.1, NULL, 0, 5}, &(struct plan){2, 50, 1, 0.1, map_text, 3, 0});
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_CALL, "allreduce")->verdict, WM_VERDICT_FASTER);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_CALL, "barrier")->verdict, WM_VERDICT_ONLY_FIRST);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_LINE, "allreduce: (native)")->verdict, WM_VERDICT_ONLY_FIRST);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_LINE, "(trace 'all)")->verdict, WM_VERDICT_ONLY_SECOND);
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_EDGE, "1 → 0")->verdict, WM_VERDICT_ONLY_SECOND);
    release(&runs);
}

static void a_rare_call__does_not_hide_the_others(void)
{
    struct runs runs;

    compare(&runs, &(struct plan){1, 50, 1, 0.1, map_text, 3, 2}, &(struct plan){2, 50, 2, 0.1, map_text, 3, 2});
    CU_ASSERT_EQUAL(row_of(&runs, WM_SERIES_CALL, "barrier")->verdict, WM_VERDICT_TOO_FEW);
    CU_ASSERT_EQUAL(runs.diff.total_verdict, WM_VERDICT_SLOWER);
    CU_ASSERT_EQUAL(runs.diff.matched, 50);
    release(&runs);
}

static void few_calls__say_nothing(void)
{
    for (int calls = 0; calls <= 2; calls++) {
        struct runs runs;

        compare(&runs, &(struct plan){1, calls, 1, 0.1, map_text, 3, 0},
                &(struct plan){2, calls, 3, 0.1, map_text, 3, 0});
        CU_ASSERT_FALSE(runs.diff.regressed);
        CU_ASSERT_EQUAL(runs.diff.total_verdict, WM_VERDICT_TOO_FEW);
        expect_sentence(&runs, calls > 0 ? "too few calls to say" : "no collective call that could be compared");
        release(&runs);
    }
}

static void the_threshold__decides(void)
{
    struct runs runs;
    struct wm_diff diff;

    compare(&runs, &(struct plan){1, 200, 1, 0.1, map_text, 3, 0}, &(struct plan){2, 200, 1.2, 0.1, map_text, 3, 0});
    CU_ASSERT_TRUE(runs.diff.regressed);
    CU_ASSERT_EQUAL(wm_diff_make(&diff, &runs.samples[0], &runs.samples[1], 0.4), 0);
    CU_ASSERT_FALSE(diff.regressed);
    CU_ASSERT_EQUAL(diff.total_verdict, WM_VERDICT_SLOWER);
    wm_diff_release(&diff);
    release(&runs);
}

static void a_page_and_json__hold_the_verdict(void)
{
    struct runs runs;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    struct wm_terminal terminal = {file, 110, false};
    json_t *object;

    compare(&runs, &(struct plan){1, 50, 1, 0.1, map_text, 3, 9}, &(struct plan){2, 50, 2, 0.1, edited_text, 3, 0});
    wm_diff_print(&terminal, &runs.diff);
    fclose(file);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "Regression: the total became slower by more than 5 %."));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "only in DIR1"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "of one value each: no interval"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "different numbers of calls"));
    object = wm_diff_json(&runs.diff);
    CU_ASSERT_PTR_NOT_NULL_FATAL(object);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(object, "verdict")), runs.sentence);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(object, "rows")), runs.diff.count);
    CU_ASSERT_TRUE(json_is_true(json_object_get(object, "regressed")));
    json_decref(object);
    free(text);
    release(&runs);
}

static const struct check_case cases[] = {
    CASE(a_slowdown_of_a_fifth__is_found_everywhere),
    CASE(a_speedup__is_no_regression),
    CASE(equal_runs__seldom_differ),
    CASE(intervals__hold_the_truth_as_often_as_they_say),
    CASE(student__has_the_quantiles_of_the_tables),
    CASE(an_answer__does_not_change),
    CASE(a_line_that_moved__is_the_same_line),
    CASE(an_edited_line__is_known_by_its_place),
    CASE(native_calls__are_compared_with_planned_ones),
    CASE(a_rare_call__does_not_hide_the_others),
    CASE(few_calls__say_nothing),
    CASE(the_threshold__decides),
    CASE(a_page_and_json__hold_the_verdict),
};

CHECK_MAIN("diff", cases)
