/* Functions and structs of the program that random statements are bound to. */
#include "tests/core/statement/functions.h"

#include <string.h>

bool owner_misused;
const int pair_type, crumb_type;

static int seven(void)
{
    return 7;
}

static int owner(int x)
{
    owner_misused |= x < 0;
    return x < 0 ? 0 : x & 7;
}

static int fold(int x, int limit)
{
    return limit <= 0 ? 0 : (int)(((long)x % limit + limit) % limit);
}

/* The operators do not commute: another order of messages gives another result. */
static int weave(int a, int b)
{
    return (int)(3u * (unsigned)a + (unsigned)b);
}

static int median(int a, int b, int c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

static long twist(long x)
{
    return (long)(~(unsigned long)x * 5u);
}

static long weave_long(long a, long b)
{
    return (long)(3u * (unsigned long)a + (unsigned long)b);
}

static int digits(long x)
{
    int count = 0;

    for (; x != 0; x /= 10)
        count++;
    return count;
}

static unsigned long scramble(unsigned long x)
{
    return x ^ (x >> 3);
}

static unsigned long weave_size(unsigned long a, unsigned long b)
{
    return 3 * a + b;
}

static float halve_float(float x)
{
    return x / 2;
}

static float weave_float(float a, float b)
{
    return a / 2 + b;
}

static double halve(double x)
{
    return x / 2;
}

static double weave_double(double a, double b)
{
    return a / 2 + b;
}

static double mix(double a, double b, double c)
{
    return a / 4 + b / 2 - c;
}

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

static double quarter(int x)
{
    return x / 4.0;
}

const struct function_row functions[FUNCTION_COUNT] = {
#define X(name, signature, result, argument, count)                                                                    \
    {#name, WM_SIGNATURE_##signature, WM_##result, WM_##argument, count, (void (*)(void))name},
    FUNCTIONS(X)
#undef X
};

struct value function_call(enum function function, const struct value a[])
{
    switch (function) {
    case FUNCTION_seven:
        return value_whole(WM_INT32, seven());
    case FUNCTION_owner:
        return value_whole(WM_INT32, owner((int)a[0].whole));
    case FUNCTION_fold:
        return value_whole(WM_INT32, fold((int)a[0].whole, (int)a[1].whole));
    case FUNCTION_weave:
        return value_whole(WM_INT32, weave((int)a[0].whole, (int)a[1].whole));
    case FUNCTION_median:
        return value_whole(WM_INT32, median((int)a[0].whole, (int)a[1].whole, (int)a[2].whole));
    case FUNCTION_twist:
        return value_whole(WM_INT64, twist((long)a[0].whole));
    case FUNCTION_weave_long:
        return value_whole(WM_INT64, weave_long((long)a[0].whole, (long)a[1].whole));
    case FUNCTION_digits:
        return value_whole(WM_INT32, digits((long)a[0].whole));
    case FUNCTION_scramble:
        return value_whole(WM_UINT64, scramble((unsigned long)a[0].whole));
    case FUNCTION_weave_size:
        return value_whole(WM_UINT64, weave_size((unsigned long)a[0].whole, (unsigned long)a[1].whole));
    case FUNCTION_halve_float:
        return value_real(WM_FLOAT, (double)halve_float((float)a[0].real));
    case FUNCTION_weave_float:
        return value_real(WM_FLOAT, (double)weave_float((float)a[0].real, (float)a[1].real));
    case FUNCTION_halve:
        return value_real(WM_DOUBLE, halve(a[0].real));
    case FUNCTION_weave_double:
        return value_real(WM_DOUBLE, weave_double(a[0].real, a[1].real));
    case FUNCTION_mix:
        return value_real(WM_DOUBLE, mix(a[0].real, a[1].real, a[2].real));
    case FUNCTION_sign:
        return value_whole(WM_INT32, sign(a[0].real));
    case FUNCTION_quarter:
        return value_real(WM_DOUBLE, quarter((int)a[0].whole));
    case FUNCTION_COUNT:
        break;
    }
    return a[0];
}

void pair_combine(void *inout, const void *in)
{
    struct pair a, b;

    memcpy(&a, inout, sizeof a);
    memcpy(&b, in, sizeof b);
    a.key = (int64_t)(3u * (uint64_t)a.key + (uint64_t)b.key);
    a.weight = b.weight < a.weight ? b.weight : a.weight;
    memcpy(inout, &a, sizeof a);
}

void crumb_combine(void *inout, const void *in)
{
    signed char *to = inout;
    const signed char *from = in;

    for (int i = 0; i < 3; i++)
        to[i] = (signed char)((to[i] * 3 + from[i]) & 63);
}
