/* Advice on the number of subranks: the model max(c, L + c/V), read backwards and forwards. */
#include "core/subrank/advice.h"
#include "tests/check.h"

static const double ms = 1e6;

static void check(double compute, double idle, double late, int subranks, enum wm_advice_reason reason, int advised)
{
    struct wm_advice advice = wm_advice_of(compute * ms, idle * ms, late * ms, subranks);

    CU_ASSERT_EQUAL(advice.reason, reason);
    CU_ASSERT_EQUAL(advice.subranks, advised);
}

static void advice__where_all_is_hidden_keeps_the_number(void)
{
    check(4, 0.01, 0, 2, WM_ADVICE_HIDDEN, 2);
    check(4, 0, 0, 8, WM_ADVICE_HIDDEN, 8);
}

static void advice__wants_more_subranks_while_something_else_could_be_ready(void)
{
    CU_ASSERT_DOUBLE_EQUAL(wm_advice_of(4 * ms, 1 * ms, 0, 2).latency_ns, 3 * ms, 1);
    check(4, 1, 0, 2, WM_ADVICE_TOO_FEW, 4);
}

static void advice__cannot_hide_more_than_there_is_to_compute(void)
{
    check(1, 9, 0, 2, WM_ADVICE_SHORT, 4); /* L = 9.5: 9.5 + 1/4 is near the best */
    check(4, 4, 0, 2, WM_ADVICE_SHORT, 16);
}

static void advice__blames_one_late_message_where_it_is_most(void)
{
    check(4, 1, 0.6, 2, WM_ADVICE_LATE, 2);
    check(4, 1, 0.4, 2, WM_ADVICE_TOO_FEW, 4);
}

static const struct check_case cases[] = {
    CASE(advice__where_all_is_hidden_keeps_the_number),
    CASE(advice__wants_more_subranks_while_something_else_could_be_ready),
    CASE(advice__cannot_hide_more_than_there_is_to_compute),
    CASE(advice__blames_one_late_message_where_it_is_most),
};

CHECK_MAIN("advice on subranks", cases)
