/* Conversions against the arithmetic of long double, which has all numbers of all the types. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "tests/check.h"
#include "waymark/number.h"

_Static_assert(LDBL_MANT_DIG >= 64, "a long double has every uint64_t");

enum { RANDOM = 20000 };

static uint64_t next(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state ^ state >> 29;
}

/* What is in a buffer, and whether a type has a value: by the compiler's own conversions. */
static long double value_of(enum wm_number type, const void *at)
{
    switch (type) {
#define X(name, type, text)                                                                                            \
    case WM_##name: {                                                                                                  \
        type number;                                                                                                   \
                                                                                                                       \
        memcpy(&number, at, sizeof number);                                                                            \
        return (long double)number;                                                                                    \
    }
        WM_NUMBERS(X)
#undef X
    default:
        return NAN;
    }
}

/* The bounds are themselves numbers of the type. */
static bool has_integer(long double v, long double least, long double most)
{
    return v >= least && v <= most && truncl(v) == v;
}

static bool has(enum wm_number type, long double v)
{
    switch (type) {
    case WM_INT8:
        return has_integer(v, INT8_MIN, INT8_MAX);
    case WM_INT16:
        return has_integer(v, INT16_MIN, INT16_MAX);
    case WM_INT32:
        return has_integer(v, INT32_MIN, INT32_MAX);
    case WM_INT64:
        return has_integer(v, (long double)INT64_MIN, (long double)INT64_MAX);
    case WM_UINT8:
        return has_integer(v, 0, UINT8_MAX);
    case WM_UINT16:
        return has_integer(v, 0, UINT16_MAX);
    case WM_UINT32:
        return has_integer(v, 0, UINT32_MAX);
    case WM_UINT64:
        return has_integer(v, 0, (long double)UINT64_MAX);
    case WM_FLOAT:
        return isnan(v) || (long double)(float)v == v;
    default:
        return isnan(v) || (long double)(double)v == v;
    }
}

static bool converts(enum wm_number to_type, enum wm_number from_type, const void *from)
{
    unsigned char to[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0x5a};
    long double v = value_of(from_type, from), made;
    bool expected = has(to_type, v);

    memset(to + wm_number_bytes(to_type), 0x5a, sizeof to - wm_number_bytes(to_type));
    if (wm_numbers_convert(to_type, to, from_type, from, 1) != expected || to[8] != 0x5a)
        return false;
    made = value_of(to_type, to);
    return !expected || made == v || (isnan(made) && isnan(v));
}

static void check_all(enum wm_number from_type, const void *from)
{
    for (enum wm_number to = WM_INT8; to <= WM_DOUBLE; to++)
        if (!converts(to, from_type, from))
            CU_FAIL("a conversion differs");
}

/* Around the powers of two, and their sums. */
static void edges__convert_exactly_or_not_at_all(void)
{
    for (int bit = 0; bit < 64; bit++)
        for (int other = 0; other <= bit; other++)
            for (int add = -1; add <= 1; add++) {
                uint64_t bits = (UINT64_C(1) << bit | UINT64_C(1) << other) + (uint64_t)add, minus = -bits;
                double floating = (double)bits, tiny = ldexp((double)bits, -160), opposite = -floating;

                for (enum wm_number from = WM_INT8; from < WM_FLOAT; from++) {
                    check_all(from, &bits);
                    check_all(from, &minus);
                }
                check_all(WM_DOUBLE, &floating);
                check_all(WM_DOUBLE, &opposite);
                check_all(WM_DOUBLE, &tiny);
            }
}

static void floats__convert_exactly_or_not_at_all(void)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     0.5,
                                     -1.5,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     FLT_MAX,
                                     DBL_MAX,
                                     FLT_MIN,
                                     DBL_MIN,
                                     FLT_TRUE_MIN,
                                     DBL_TRUE_MIN,
                                     FLT_TRUE_MIN / 2,
                                     0x1p63,
                                     0x1p64,
                                     -0x1p63,
                                     0x1.fffffffffffffp63,
                                     0x1.fffffep127,
                                     0x1.ffffffp127,
                                     0x1p128,
                                     0x1.8p-149,
                                     0x3p-149};

    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        float single = (float)special[i];

        check_all(WM_DOUBLE, &special[i]);
        check_all(WM_FLOAT, &single);
    }
}

static void random_bits__convert_exactly_or_not_at_all(void)
{
    for (int i = 0; i < RANDOM; i++) {
        uint64_t bits = next() & (next() | next());

        if (next() % 2 == 0)
            bits &= UINT64_MAX << next() % 64;
        for (enum wm_number from = WM_INT8; from <= WM_DOUBLE; from++)
            check_all(from, &bits);
    }
}

static void a_conversion__stops_at_the_first_that_is_refused(void)
{
    static const int64_t from[] = {1, -2, INT64_C(1) << 40, 3};
    int32_t to[4] = {0};

    CU_ASSERT_EQUAL(wm_numbers_convert(WM_INT32, to, WM_INT64, from, 4), 2);
    CU_ASSERT(to[0] == 1 && to[1] == -2 && to[2] == 0 && to[3] == 0);
    CU_ASSERT_EQUAL(wm_numbers_convert(WM_INT32, to, WM_INT64, from, 2), 2);
}

static void types__have_names_and_sizes(void)
{
    CU_ASSERT_EQUAL(wm_number_bytes(WM_BYTES), 1);
    CU_ASSERT_EQUAL(wm_number_bytes(WM_UINT16), 2);
    CU_ASSERT_EQUAL(wm_number_bytes(WM_DOUBLE), 8);
    CU_ASSERT_STRING_EQUAL(wm_number_name(WM_BYTES), "bytes");
    CU_ASSERT_STRING_EQUAL(wm_number_name(WM_FLOAT), "float");
}

static const struct check_case cases[] = {
    CASE(edges__convert_exactly_or_not_at_all),
    CASE(floats__convert_exactly_or_not_at_all),
    CASE(random_bits__convert_exactly_or_not_at_all),
    CASE(a_conversion__stops_at_the_first_that_is_refused),
    CASE(types__have_names_and_sizes),
};

CHECK_MAIN("number", cases)
