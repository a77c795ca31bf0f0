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

/* Parts are folded as far as they make one section. */
static void parts_are_folded(void)
{
    static const struct {
        const char *text;
        size_t sent, received;
    } rows[] = {
        {"A[i][0 ... 5]@0 <<= A[i][0 ... 5]@0 where i in {0 ... 3}", 1, 1},
        {"A[i][0 ... 3]@0 <<= A[0 ... 3][i]@0 where i in {0 ... 3}", 1, 1},
        {"A[2 * i ... 2 * i + 2][0 ... 3]@0 <<= A[i ... i + 2][0 ... 3]@0 where i in {0 ... 3}", 1, 1},
        {"A[2 * i ... 2 * i + 2][0 ... i + 2]@0 <<= A[2 * i ... 2 * i + 2][0 ... i + 2]@0 where i in {0 ... 3}", 3, 3},
        {"T[0 ... 2][0 ... 2][i ... i + 2]@0 <<= T[0 ... 2][0 ... 2][i ... i + 2]@0 where i in {0 ... 2}", 2, 2},
        {"A[i][0 ... 5]@0 <<= F[i][0 ... 5]@0 where i in {0 ... 3}", 3, 1},
        {"A[i][0]@0 <<= i@0 where i in {0 ... 3}", 3, 1},
    };
    static double a[6][5], t[2][3][4];
    static float f[3][5];
    const struct wm_bound bindings[] = {
        {.name = "A", .number = WM_DOUBLE, .dimensions = 2, .at = a, .extents = {6, 5}},
        {.name = "F", .number = WM_FLOAT, .dimensions = 2, .at = f, .extents = {3, 5}},
        {.name = "T", .number = WM_DOUBLE, .dimensions = 3, .at = t, .extents = {2, 3, 4}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wm_statement *s;
        struct wm_traffic x;

        CU_ASSERT_EQUAL_FATAL(wm_statement_new(&s, rows[i].text, bindings, 3, NULL), 0);
        CU_ASSERT_EQUAL_FATAL(wm_traffic_new(&x, s, bindings, 0, 1, true, NULL), 0);
        wm_parts_fold(&x, &x.sends, bindings, false);
        wm_parts_fold(&x, &x.receives, bindings, true);
        CU_ASSERT_EQUAL(x.sends.count, rows[i].sent);
        CU_ASSERT_EQUAL(x.receives.count, rows[i].received);
        wm_traffic_release(&x);
        wm_statement_free(s);
    }
}

static const struct check_case cases[] = {
    CASE(a_float_is_the_same_however_it_came_about),
    CASE(parts_are_folded),
    CASE(structs_of_other_types_are_not_alike),
};

CHECK_MAIN("traffic", cases)
