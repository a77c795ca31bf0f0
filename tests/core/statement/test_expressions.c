/* Expressions of statements against the C compiler: each is compiled by both, and has the same type and value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/statement/traffic.h"
#include "tests/check.h"

/* They are written as the grammar has them, not as a program would. */
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"

static int8_t c8 = -7;
static int16_t c16 = -300;
static int32_t c32 = 70000;
static int64_t c64 = -5000000000;
static uint8_t u8 = 250;
static uint16_t u16 = 65000;
static uint32_t u32 = 4000000000u;
static uint64_t u64 = 18000000000000000000u;
static float f = 0.1f;
static double d = 2.75;
static int n = 3;
static int a[5] = {4, 2, 0, 1, 3};
static short b[2][3] = {{1, 2, 3}, {-4, -5, -6}};
static double g[2][2][2] = {{{0.5, 1.5}, {2.5, 3.5}}, {{4.5, 5.5}, {6.5, 7.5}}};
static int out;

static int twice(int x)
{
    return 2 * x;
}

static int less(int x, int y)
{
    return x < y;
}

static long wide(long x)
{
    return x;
}

static unsigned long bare(unsigned long x)
{
    return x;
}

static float single(float x)
{
    return x;
}

static double mean(double x, double y)
{
    return (x + y) / 2;
}

/* clang-format off */
#define PLACE(what, type, ...)                                                                                         \
    {.name = #what, .kind = WM_BOUND_PLACE, .number = WM_##type, .at = (void *)&what, __VA_ARGS__}
#define FUNCTION(what, is)                                                                                             \
    {.name = #what, .kind = WM_BOUND_FUNCTION, .signature = WM_SIGNATURE_##is, .function = (void (*)(void))what}
/* clang-format on */

static const struct wm_bound bindings[] = {
    PLACE(c8, INT8),
    PLACE(c16, INT16),
    PLACE(c32, INT32),
    PLACE(c64, INT64),
    PLACE(u8, UINT8),
    PLACE(u16, UINT16),
    PLACE(u32, UINT32),
    PLACE(u64, UINT64),
    PLACE(f, FLOAT),
    PLACE(d, DOUBLE),
    PLACE(n, INT32),
    PLACE(a, INT32, .dimensions = 1, .extents = {5}),
    PLACE(b, INT16, .dimensions = 2, .extents = {2, 3}),
    PLACE(g, DOUBLE, .dimensions = 3, .extents = {2, 2, 2}),
    PLACE(out, INT32),
    FUNCTION(twice, INT_1),
    FUNCTION(less, INT_2),
    FUNCTION(wide, LONG_1),
    FUNCTION(bare, SIZE_1),
    FUNCTION(single, FLOAT_1),
    FUNCTION(mean, DOUBLE_2),
};

enum { BINDINGS = sizeof bindings / sizeof bindings[0] };

struct expression {
    const char *text;
    enum wm_number type;
    const void *value;
};

/* clang-format off */
#define TYPE_OF(e)                                                                                                     \
    _Generic((e), signed char: WM_INT8, short: WM_INT16, int: WM_INT32, long: WM_INT64, long long: WM_INT64,           \
             unsigned char: WM_UINT8, unsigned short: WM_UINT16, unsigned: WM_UINT32, unsigned long: WM_UINT64,        \
             unsigned long long: WM_UINT64, float: WM_FLOAT, double: WM_DOUBLE)
#define E(...) {#__VA_ARGS__, TYPE_OF(__VA_ARGS__), &(__typeof__(__VA_ARGS__)){__VA_ARGS__}}
/* clang-format on */

/* The value of a text at the only rank, as the variable of a clause. */
static int evaluate(const char *expression, enum wm_number *type, char value[8], struct wm_error *error)
{
    char text[512];
    struct wm_statement *s;
    struct wm_traffic x;
    int rc;

    memset(value, 0, 8);
    snprintf(text, sizeof text, "out@0 <<= 1@0 where it = %s", expression);
    if ((rc = wm_statement_new(&s, text, bindings, BINDINGS, error)) < 0)
        return rc;
    if ((rc = wm_traffic_new(&x, s, bindings, 0, 1, false, error)) == 0) {
        *type = s->variables[0].number;
        wm_scalar_store(*type, value, x.sends.values[x.sends.parts[0].variables]);
        wm_traffic_release(&x);
    }
    wm_statement_free(s);
    return rc;
}

static void compare(const struct expression list[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum wm_number type = WM_BYTES;
        struct wm_error error = {0};
        char value[8];
        int rc = evaluate(list[i].text, &type, value, &error);
        bool same = rc == 0 && type == list[i].type && memcmp(value, list[i].value, wm_number_bytes(type)) == 0;

        if (!same)
            printf("\n    %s: %s%s, in C %s", list[i].text, error.text, wm_number_name(type),
                   wm_number_name(list[i].type));
        CU_ASSERT_TRUE(same);
    }
}

#define COMPARE(...)                                                                                                   \
    do {                                                                                                               \
        const struct expression list[] = {__VA_ARGS__};                                                                \
        compare(list, sizeof list / sizeof list[0]);                                                                   \
    } while (0)

/* clang-format off */
static void constants_have_their_types_in_c(void)
{
    COMPARE(E(0), E(7), E(017), E(0x1f), E(0XAB), E(2147483647), E(2147483648), E(4294967296), E(9223372036854775807),
            E(0x7fffffff), E(0x80000000), E(0xffffffff), E(0x100000000), E(0x7fffffffffffffff), E(0x8000000000000000),
            E(037777777777), E(1u), E(4294967295u), E(4294967296u), E(1U), E(1l), E(1L), E(1ll), E(1LL), E(1ul), E(1lu),
            E(1ULL), E(1llu), E(1Ul), E(0x80000000l), E(0xffffffffffffffffu), E(18446744073709551615u),
            E(0.5), E(.5), E(5.), E(1e3), E(1E-3), E(1.5e+2), E(0.1), E(0.1f), E(1.f), E(.25F), E(1e10f), E(3.4028235e38f),
            E(1e-45f), E(4.9e-324), E(1.7976931348623157e308), E(0.30000000000000004), E(16777217.0f), E(09.5));
}

static void integers_are_promoted_and_converted(void)
{
    COMPARE(E(c8), E(+c8), E(-c8), E(~c8), E(!c8), E(c8 + c8), E(u8), E(+u8), E(-u8), E(~u8), E(u8 + u8), E(u8 * u8),
            E(c16 * c8), E(u16), E(~u16), E(u16 + 1), E(u16 << 8), E(u8 >> 2), E(c32), E(-c32), E(c32 * 2),
            E(u32), E(-u32), E(~u32), E(u32 + u32), E(u32 * u32), E(u32 + c8), E(u32 + 1), E(u32 + c64), E(u32 - c32),
            E(u64), E(-u64), E(u64 + u64), E(u64 * u64), E(u64 + c8), E(u64 - 1), E(c64), E(c64 - u32), E(c64 * 3),
            E(c64 + u64), E(c64 / c8), E(c64 % 1000), E(c64 / u64), E(c64 % u64), E(u32 / c8), E(u32 % c8),
            E(c16 / 7), E(c16 % 7), E(-7 / 2), E(-7 % 2), E(7 / -2), E(7 % -2), E(u8 / 3), E(c8 + u32 + c64),
            E(1 - 2u), E(-1 + 0u), E(1u - 2l), E(-1l * 1ul), E(c8 & u8), E(c8 | u16), E(c16 ^ u32), E(c64 & u32),
            E(c8 & 0xffu), E(u64 >> 60), E(c64 >> 3), E(-1 >> 1), E(u32 >> 31), E(u32 << 1), E(1u << 31), E(1 << 30),
            E(1l << 40), E(u8 << n), E(1 << c64 - c64), E(1 << 3u), E(1 << 3ul), E(u64 << 63));
}

static void comparisons_follow_the_conversions(void)
{
    COMPARE(E(-1 < 0u), E(-1 < 0), E(-1l < 0u), E(-1l < 0ul), E(c8 < u8), E(c8 < u32), E(c64 < u32), E(c64 < u64),
            E(c8 == -7), E(u8 == 250), E(u16 != 65000), E(u32 >= 4000000000), E(u32 <= -1), E(u64 > c8), E(c8 > d),
            E(f == 0.1), E(f == 0.1f), E(f < d), E(d >= 2.75), E(d != d), E(0 * (1e300 * 1e10) <= 1),
            E(0 * (1e300 * 1e10) >= 1), E(0 * (1e300 * 1e10) != 1), E(0 * (1e300 * 1e10) == 1), E(!(0 * (1e300 * 1e10) < 1)),
            E(16777217 == 16777216.0f),
            E(16777217 == 16777216.0), E(9007199254740993 == 9007199254740992.0), E(u64 == 18e18), E(1 < 2 < 3),
            E(3 > 2 > 1), E(1 == 1 == 1), E(2 == 2 != 0), E(0.5 && 2), E(0.0 || 0), E(!0.5), E(!d), E(!f), E(!u64), E(!!n));
}

static void floating_numbers_are_of_their_type(void)
{
    COMPARE(E(f), E(-f), E(f + f), E(f * 3), E(f + 1.0), E(f * d), E(d), E(-d), E(d / 3), E(f / 3), E(1 / 3.0f),
            E(1 / 3.0), E(f - 0.1), E(f + c64), E(f + u64), E(d + u64), E(d * c8), E(u32 * f), E(c32 / f), E(u64 / 1.0f),
            E(c64 * 1.0f), E(1e300 * 1e10), E(-0.0), E(0.0f * -1), E(9007199791611905 * 1.0f), E(u64 * 1.0f), E(c64 * 1.0), E(f * f + d * d), E(1 / 3 * 3.0), E(1.0 / 3 * 3),
            E(0.1f + 0.2f), E(0.1 + 0.2), E((f + f) * (d - f)), E(16777216.0f + 1.0f), E(16777216 + 1.0f));
}

static void operators_bind_as_in_c(void)
{
    COMPARE(E(1 + 2 * 3), E((1 + 2) * 3), E(10 - 4 - 3), E(100 / 10 / 5), E(100 / 10 * 5), E(7 % 4 * 3), E(1 - -1),
            E(- -n), E(-n * -n), E(!n + 1), E(~n & 7), E(-n % 2), E(1 | 2 ^ 3 & 4), E(1 ^ 1 | 1), E(6 & 3 == 3), E(1 & 2 | 4),
            E(1 << 2 + 1), E(1 + 1 << 2), E(16 >> 1 >> 1), E(1 << 1 << 1), E(1 < 2 == 2 > 1), E(1 == 2 < 3), E(0 || 1 && 0),
            E((0 || 1) && 0), E(1 || 0 && 0), E(1 && 0 || 1), E(n & 1 && n & 2), E(4 | n == 3), E(8 >> 1 < 5), E(2 + 3 > 4 - 1),
            E(n ? 1 : 2), E(n == 4 ? 1 : 2), E(0 ? 1 : 0 ? 2 : 3), E(1 ? 0 ? 1 : 2 : 3), E(n > 2 ? n + 1 : n - 1),
            E(0 ? 1 : 2 + 3), E((0 ? 1 : 2) + 3), E(n || 0 ? 5 : 6), E(1 ? 2 : 3.0), E(0 ? 2 : 3.0f), E(1 ? c8 : u8),
            E(1 ? c8 : u32), E(1 ? -1 : 1ul), E(0 ? c64 : u32), E(1 ? c8 : f), E(1 ? u64 : f), E(n ? n ? 1 : 2 : 3));
}

static void what_is_not_chosen_is_not_evaluated(void)
{
    COMPARE(E(0 && 1 / (n - 3)), E(1 || 1 / (n - 3)), E(n == 3 ? 1 : 1 / (n - 3)), E(n < 5 && a[n] == 1), E(n != 3 && a[n + 9]),
            E(n == 3 || a[n - 9] > 0), E(1 ? d : a[n + 5]));
}

static void places_and_calls_are_operands(void)
{
    COMPARE(E(a[0]), E(a[n]), E(a[a[a[0]]]), E(a[n - 1] + a[n + 1]), E(-a[1]), E(b[0][1]), E(b[1][a[1]]), E(b[n & 1][n % 3]),
            E(g[1][0][1]), E(g[n & 1][0][!n] * 2), E(a[u8 - 249]), E(a[1ul]), E(a[n > 2 ? 0 : 4]), E(a[1 << 1]),
            E(twice(n)), E(twice(twice(n) + 1)), E(twice(c64)), E(twice(u32)), E(twice(d)), E(twice(-d)), E(twice(u8)),
            E(less(n, 4)), E(less(c8, u32)), E(less(twice(1), 3) + 1), E(wide(u64)), E(wide(c8)), E(wide(u32)), E(wide(d)),
            E(bare(c8)), E(bare(-1)), E(bare(c64)), E(bare(f)), E(single(d)), E(single(0.1)), E(single(u64)), E(single(n)),
            E(mean(1, 2)), E(mean(f, d)), E(mean(c8, u64)), E(mean(n, n << 1)), E(a[twice(2)]), E(!less(n, 2)));
}
/* clang-format on */

/* What C leaves undefined of whole numbers. */
static void whole_numbers_wrap_around(void)
{
    static const struct {
        const char *text;
        enum wm_number type;
        int64_t value;
    } list[] = {
        {"2147483647 + 1", WM_INT32, INT32_MIN},
        {"-2147483647 - 2", WM_INT32, INT32_MAX},
        {"65536 * 65536", WM_INT32, 0},
        {"c32 * c32", WM_INT32, 605032704},
        {"9223372036854775807 + 1", WM_INT64, INT64_MIN},
        {"-(-9223372036854775807 - 1)", WM_INT64, INT64_MIN},
        {"(-2147483647 - 1) / -1", WM_INT32, INT32_MIN},
        {"(-2147483647 - 1) % -1", WM_INT32, 0},
        {"(-9223372036854775807 - 1) / -1", WM_INT64, INT64_MIN},
        {"1 << 31", WM_INT32, INT32_MIN},
        {"3 << 31", WM_INT32, INT32_MIN},
        {"-1 << 4", WM_INT32, -16},
        {"1l << 63", WM_INT64, INT64_MIN},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        enum wm_number type = WM_BYTES;
        char value[8];
        int64_t is;

        CU_ASSERT_EQUAL(evaluate(list[i].text, &type, value, NULL), 0);
        CU_ASSERT_EQUAL(type, list[i].type);
        is = wm_scalar_load(type, value).i;
        CU_ASSERT_EQUAL(is, list[i].value);
    }
}

static void what_else_c_leaves_undefined_is_a_fault(void)
{
    static const char *const list[] = {"1 / (n - 3)",     "1 % (n - 3)",
                                       "u64 / 0",         "1 << 32",
                                       "1 << -1",         "1l << 64",
                                       "1 << 4294967296", "1u >> 4294967296ul",
                                       "1 >> u64",        "a[5]",
                                       "a[-1]",           "a[u64]",
                                       "b[0][3]",         "b[2][0]",
                                       "g[0][0][2]",      "twice(3e9)",
                                       "twice(-3e9)",     "bare(-1.0)",
                                       "wide(1e19)",      "wide(1e300 * 1e300)",
                                       "twice(0.0 / 0)",  "a[9223372036854775807]"};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        enum wm_number type = WM_BYTES;
        struct wm_error error = {0};
        char value[8];

        CU_ASSERT_EQUAL(evaluate(list[i], &type, value, &error), -WM_EINVAL);
        CU_ASSERT_NOT_EQUAL(error.text[0], '\0');
    }
}

static const struct check_case cases[] = {
    CASE(constants_have_their_types_in_c),
    CASE(integers_are_promoted_and_converted),
    CASE(comparisons_follow_the_conversions),
    CASE(floating_numbers_are_of_their_type),
    CASE(operators_bind_as_in_c),
    CASE(what_is_not_chosen_is_not_evaluated),
    CASE(places_and_calls_are_operands),
    CASE(whole_numbers_wrap_around),
    CASE(what_else_c_leaves_undefined_is_a_fault),
};

CHECK_MAIN("expressions", cases)
