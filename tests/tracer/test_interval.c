/* Offset intervals: bounds out of ping-pongs whose truth the test knows. */
#include "tests/check.h"
#include "tracer/interval.h"

#include <inttypes.h>
#include <stdlib.h>

static const uint64_t BEGIN_NS = 1000000000000;

/* A clock that stands `offset_ns` ahead at BEGIN_NS and gains `ppm`. */
struct other {
    int64_t offset_ns;
    double ppm;
};

static int64_t true_offset(const struct other *other, uint64_t ours_ns)
{
    return other->offset_ns + (int64_t)((double)(ours_ns - BEGIN_NS) * other->ppm * 1e-6);
}

static uint64_t theirs(const struct other *other, uint64_t ours_ns)
{
    return ours_ns + (uint64_t)true_offset(other, ours_ns);
}

static uint64_t exchange(struct wm_interval *interval, const struct other *other, uint64_t sent_ns, uint64_t there,
                         uint64_t stay, uint64_t back)
{
    wm_interval_add(interval, &(struct wm_clock_exchange){.sent_ns = sent_ns,
                                                          .there_in_ns = theirs(other, sent_ns + there),
                                                          .there_out_ns = theirs(other, sent_ns + there + stay),
                                                          .back_ns = sent_ns + there + stay + back});
    return sent_ns + there + stay + back;
}

static void expect_within(const struct wm_interval *interval, const struct other *other, int64_t half_max_ns)
{
    struct wm_offset offset;
    int64_t error_ns;

    CU_ASSERT_TRUE(wm_interval_offset(interval, &offset));
    error_ns = offset.offset_ns - true_offset(other, offset.at_ns);
    CU_ASSERT_TRUE(llabs(error_ns) <= offset.half_ns);
    CU_ASSERT_TRUE(offset.half_ns <= half_max_ns);
}

static void interval__of_one_exchange_is_its_travel(void)
{
    struct wm_interval interval = {0};
    struct wm_offset offset;
    const struct other other = {-5000000000, 0};

    exchange(&interval, &other, BEGIN_NS, 3000, 7000, 1000);
    CU_ASSERT_TRUE(wm_interval_offset(&interval, &offset));
    CU_ASSERT_EQUAL(offset.offset_ns, -5000000000 + 1000); /* half of what the ways differ by */
    CU_ASSERT_TRUE(offset.half_ns >= 2000 && offset.half_ns <= 2004);
    CU_ASSERT_EQUAL(offset.at_ns, BEGIN_NS + 5500);
    CU_ASSERT_FALSE(wm_offset_is_zero(&offset));
}

static void interval__takes_each_bound_from_its_best_exchange(void)
{
    struct wm_interval interval = {0};
    const struct other other = {123456789012, 0};
    uint64_t now_ns = BEGIN_NS;

    now_ns = exchange(&interval, &other, now_ns, 500, 0, 90000); /* fast there */
    now_ns = exchange(&interval, &other, now_ns, 90000, 0, 600); /* fast back */
    exchange(&interval, &other, now_ns, 20000, 5000, 20000);
    expect_within(&interval, &other, 600);
}

static void interval__holds_the_truth_whatever_the_ways_are_like(void)
{
    srand(7);
    for (int turn = 0; turn < 2000; turn++) {
        struct wm_interval interval = {0};
        const struct other other = {(int64_t)rand() * 7 - INT64_C(5000000000), rand() % 200 - 100};
        uint64_t now_ns = BEGIN_NS;
        unsigned scale = 1 + (unsigned)rand() % 1000000;

        for (int i = 0; i < 20; i++)
            now_ns = exchange(&interval, &other, now_ns, 200 + (unsigned)rand() % scale, (unsigned)rand() % scale,
                              200 + (unsigned)rand() % scale);
        expect_within(&interval, &other, (int64_t)scale + 5000);
    }
}

static void interval__widens_by_what_clocks_may_drift(void)
{
    struct wm_interval interval = {0};
    const struct other other = {0, 100};
    uint64_t now_ns = exchange(&interval, &other, BEGIN_NS, 100, 0, 50000);

    exchange(&interval, &other, now_ns + 1000000000, 50000, 0, 50000); /* a second later: 100 us of drift */
    exchange(&interval, &other, now_ns + 2000000000, 30000, 0, 30000);
    expect_within(&interval, &other, 60000);
}

static void interval__refuses_contradictions(void)
{
    struct wm_interval interval = {0};
    struct wm_offset offset = {1, 1, 1};
    const struct other other = {1000, 0}, set = {900000000, 0};

    CU_ASSERT_FALSE(wm_interval_offset(&interval, &offset));
    CU_ASSERT_EQUAL(offset.half_ns, 0);
    exchange(&interval, &other, BEGIN_NS, 100, 10, 100);
    exchange(&interval, &set, BEGIN_NS + 1000, 100, 10, 100);
    CU_ASSERT_FALSE(wm_interval_offset(&interval, &offset));
}

static void interval__passes_over_times_that_run_backwards(void)
{
    struct wm_interval interval = {0};

    wm_interval_add(&interval, &(struct wm_clock_exchange){.sent_ns = 10, .back_ns = 5});
    wm_interval_add(&interval, &(struct wm_clock_exchange){.back_ns = 5, .there_in_ns = 10});
    CU_ASSERT_EQUAL(interval.count, 0);
    for (int i = 0; i < 2 * WM_INTERVAL_EXCHANGES_MAX; i++)
        wm_interval_add(&interval,
                        &(struct wm_clock_exchange){.sent_ns = 1, .back_ns = 5, .there_in_ns = 3, .there_out_ns = 3});
    CU_ASSERT_EQUAL(interval.count, WM_INTERVAL_EXCHANGES_MAX);
}

static void offset__of_one_clock_holds_zero(void)
{
    struct wm_interval interval = {0};
    struct wm_offset offset;
    const struct other same = {0, 0}, near = {400, 0};

    exchange(&interval, &same, BEGIN_NS, 900, 10, 100);
    CU_ASSERT_TRUE(wm_interval_offset(&interval, &offset));
    CU_ASSERT_TRUE(wm_offset_is_zero(&offset));
    wm_interval_clear(&interval);
    exchange(&interval, &near, BEGIN_NS, 100, 10, 100);
    CU_ASSERT_TRUE(wm_interval_offset(&interval, &offset));
    CU_ASSERT_FALSE(wm_offset_is_zero(&offset));
}

static const struct check_case cases[] = {
    CASE(interval__of_one_exchange_is_its_travel),
    CASE(interval__takes_each_bound_from_its_best_exchange),
    CASE(interval__holds_the_truth_whatever_the_ways_are_like),
    CASE(interval__widens_by_what_clocks_may_drift),
    CASE(interval__refuses_contradictions),
    CASE(interval__passes_over_times_that_run_backwards),
    CASE(offset__of_one_clock_holds_zero),
};

CHECK_MAIN("interval", cases)
