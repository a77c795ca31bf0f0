/* Cases of traffic that random statements do not come to. */
#include <string.h>
#include "core/statement/traffic.h"
#include "tests/check.h"

/* The sum of what two ranks list, who both know what they receive. */
static uint64_t balance_of_two(const char *text, const struct wm_bound first[], const struct wm_bound second[],
                               int count)
{
    const struct wm_bound *bindings[] = {first, second};
    struct wm_statement *s;
    uint64_t sum = 0;

    if (wm_statement_new(&s, text, first, count, NULL) < 0) {
        CU_FAIL("it does not compile");
        return 1;
    }
    for (int r = 0; r < 2; r++) {
        struct wm_traffic x;

        CU_ASSERT_EQUAL(wm_traffic_new(&x, s, bindings[r], r, 2, true, NULL), 0);
        CU_ASSERT_TRUE(x.believes);
        sum += x.balance;
        wm_traffic_release(&x);
    }
    wm_statement_free(s);
    return sum;
}

/* A float is less than a scalar: what stands behind it is no part of the value. */
static void a_float_is_the_same_however_it_came_about(void)
{
    static const char text[] = "A[x < 0 ? 1 : 0]@1 <<= A[0]@0 where x = c ? -2.0f : k";
    double a[2] = {0};
    int k = -2, yes = 1, no = 0;
    struct wm_bound first[] = {
        {.name = "A", .number = WM_DOUBLE, .dimensions = 1, .at = a, .extents = {2}},
        {.name = "k", .number = WM_INT32, .at = &k},
        {.name = "c", .number = WM_INT32, .at = &yes},
    };
    struct wm_bound second[3];

    memcpy(second, first, sizeof first);
    second[2].at = &no;
    CU_ASSERT_EQUAL(balance_of_two(text, first, second, 3), 0);
}

/* A statement is shared by bindings alike: it is not checked again that structs are of one type. */
static void structs_of_other_types_are_not_alike(void)
{
    static const int here, there;
    struct wm_bound one[] = {
        {.name = "P", .number = WM_BYTES, .element_bytes = 8, .type = &here},
        {.name = "Q", .number = WM_BYTES, .element_bytes = 8, .type = &here},
    };
    struct wm_bound other[2], moved[2];

    memcpy(other, one, sizeof one);
    memcpy(moved, one, sizeof one);
    other[1].type = &there;
    moved[0].type = moved[1].type = &there;
    CU_ASSERT_NOT_EQUAL(wm_bindings_hash(one, 2), wm_bindings_hash(other, 2));
    CU_ASSERT_EQUAL(wm_bindings_hash(one, 2), wm_bindings_hash(moved, 2));
}

static const struct check_case cases[] = {
    CASE(a_float_is_the_same_however_it_came_about),
    CASE(structs_of_other_types_are_not_alike),
};

CHECK_MAIN("traffic", cases)
