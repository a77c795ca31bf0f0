/* Verdicts on trials: rounds of known differences go in, with noise and outliers. */
#include "tests/check.h"
#include "tools/retune/verdict.h"

enum { ROUNDS = 200, TRIALS = 20, LOOK = 20 };

static uint64_t state = 1;

static double chance(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / (double)(UINT64_C(1) << 53);
}

/* A block's median: 5 % off at most, and one of twenty by far. */
static int64_t noisy(double ns)
{
    return (int64_t)(ns * (1 + 0.1 * (chance() - 0.5)) * (chance() < 0.05 ? 1 + 5 * chance() : 1));
}

/* Rounds of two kinds of calls, of which the first takes nine tenths of the time: slower by these factors under the new
 * map. */
static void fill(struct wm_mailbox_round *rounds, int count, double heavy, double light)
{
    for (int i = 0; i < count; i++) {
        double ns = i % 2 == 0 ? 90000 : 10000, factor = i % 2 == 0 ? heavy : light;

        rounds[i] = (struct wm_mailbox_round){.operation = 3,
                                              .size_class = i % 2 == 0 ? 16 : 4,
                                              .ranks = 8,
                                              .calls = 64,
                                              .ns = {noisy(ns), noisy(ns * factor), noisy(ns * factor), noisy(ns)}};
    }
}

/* As 'waymark retune' looks, until something is shown. */
static enum wm_verdict try(double heavy, double light)
{
    static struct wm_mailbox_round rounds[ROUNDS];
    static struct wm_trial_table table;
    enum wm_verdict verdict = WM_VERDICT_OPEN;

    fill(rounds, ROUNDS, heavy, light);
    for (int i = LOOK; i <= ROUNDS && verdict == WM_VERDICT_OPEN; i += LOOK) {
        wm_trial_table_make(&table, rounds, (uint32_t)i);
        verdict = wm_trial_verdict(&table, i == ROUNDS);
    }
    return verdict;
}

static int count_verdicts(enum wm_verdict wanted, double heavy, double light)
{
    int count = 0;

    for (int i = 0; i < TRIALS; i++)
        count += try(heavy, light) == wanted;
    return count;
}

static void verdict__never_keeps_a_map_that_is_3_per_cent_worse(void)
{
    CU_ASSERT_EQUAL(count_verdicts(WM_VERDICT_NOT, 1.03, 1.03), 0);
}

static void verdict__finds_a_map_that_is_worse(void)
{
    CU_ASSERT_EQUAL(count_verdicts(WM_VERDICT_WORSE, 1.1, 1), TRIALS);
}

static void verdict__seldom_gives_an_equal_map_up(void)
{
    CU_ASSERT_TRUE(count_verdicts(WM_VERDICT_NOT, 1, 1) >= TRIALS * 19 / 20);
}

static void verdict__weighs_by_time(void)
{
    CU_ASSERT_EQUAL(count_verdicts(WM_VERDICT_NOT, 0.95, 1.2), TRIALS);
    CU_ASSERT_EQUAL(count_verdicts(WM_VERDICT_WORSE, 1.2, 0.5), TRIALS);
}

static void verdict__shows_nothing_by_few_rounds(void)
{
    static struct wm_mailbox_round rounds[WM_TRIAL_ROUNDS_MIN];
    static struct wm_trial_table table;

    fill(rounds, WM_TRIAL_ROUNDS_MIN, 1, 1);
    wm_trial_table_make(&table, rounds, WM_TRIAL_ROUNDS_MIN);
    CU_ASSERT_EQUAL(table.row_count, 2);
    CU_ASSERT_FALSE(table.total.known);
    CU_ASSERT_EQUAL(wm_trial_verdict(&table, false), WM_VERDICT_OPEN);
    CU_ASSERT_EQUAL(wm_trial_verdict(&table, true), WM_VERDICT_UNSURE);
}

static const struct check_case cases[] = {
    CASE(verdict__never_keeps_a_map_that_is_3_per_cent_worse),
    CASE(verdict__finds_a_map_that_is_worse),
    CASE(verdict__seldom_gives_an_equal_map_up),
    CASE(verdict__weighs_by_time),
    CASE(verdict__shows_nothing_by_few_rounds),
};

CHECK_MAIN("verdict", cases)
