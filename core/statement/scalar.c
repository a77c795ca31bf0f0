/* Numbers of a statement: in memory, reckoned with, and given to functions. */
#include "core/statement/scalar.h"

#include <string.h>
#include "core/error.h"

/* X(number, type, member) */
#define SCALARS(X)                                                                                                     \
    X(INT8, int8_t, i)                                                                                                 \
    X(INT16, int16_t, i)                                                                                               \
    X(INT32, int32_t, i)                                                                                               \
    X(INT64, int64_t, i)                                                                                               \
    X(UINT8, uint8_t, i)                                                                                               \
    X(UINT16, uint16_t, i)                                                                                             \
    X(UINT32, uint32_t, i)                                                                                             \
    X(UINT64, uint64_t, u)                                                                                             \
    X(FLOAT, float, f)                                                                                                 \
    X(DOUBLE, double, d)

/* The numbers of these elements; NULL: `stride` bytes apart. Compiled for each by itself. */
static inline __attribute__((always_inline)) void load(enum wm_number number, const char *from, const size_t elements[],
                                                       size_t stride, int count, union wm_scalar to[])
{
    switch (number) {
#define X(name, type, member)                                                                                          \
    case WM_##name:                                                                                                    \
        for (int i = 0; i < count; i++) {                                                                              \
            type is;                                                                                                   \
            memcpy(&is, from + (elements != NULL ? elements[i] * sizeof is : (size_t)i * stride), sizeof is);          \
            to[i].i = 0;                                                                                               \
            to[i].member = is;                                                                                         \
        }                                                                                                              \
        break;
        SCALARS(X)
#undef X
    case WM_BYTES:
        WM_BUG("a struct is no scalar");
    }
}

void wm_scalars_gather(enum wm_number number, const void *from, const size_t elements[], int count,
                       union wm_scalar to[])
{
    load(number, from, elements, 0, count, to);
}

void wm_scalars_load(enum wm_number number, const char *from, size_t stride, int count, union wm_scalar to[])
{
    load(number, from, NULL, stride, count, to);
}

void wm_scalars_store(enum wm_number number, char *const places[], size_t behind, struct wm_values values, int count)
{
    switch (number) {
#define X(name, type, member)                                                                                          \
    case WM_##name:                                                                                                    \
        for (int i = 0; i < count; i++) {                                                                              \
            type is = (type)wm_value(values, i).member;                                                                \
            memcpy(places[i] + behind, &is, sizeof is);                                                                \
        }                                                                                                              \
        break;
        SCALARS(X)
#undef X
    case WM_BYTES:
        WM_BUG("a struct is no scalar");
    }
}

union wm_scalar wm_scalar_load(enum wm_number number, const void *from)
{
    union wm_scalar value;

    wm_scalars_load(number, from, 0, 1, &value);
    return value;
}

void wm_scalar_store(enum wm_number number, void *to, union wm_scalar value)
{
    wm_scalars_store(number, (char *const[]){to}, 0, (struct wm_values){&value, 1}, 1);
}

bool wm_scalar_is_true(enum wm_number number, union wm_scalar value)
{
    return number == WM_FLOAT ? value.f != 0 : number == WM_DOUBLE ? value.d != 0 : value.u != 0;
}

/* ---- operators ---- */

#define EACH(from, result, expression)                                                                                 \
    for (int i = 0; i < count; i++) {                                                                                  \
        a = wm_value(x, i).from;                                                                                       \
        b = wm_value(y, i).from;                                                                                       \
        to[i].result = (expression);                                                                                   \
    }                                                                                                                  \
    break

/* What floating-point and whole numbers have in common; comparisons give an int. */
#define COMPARE(member)                                                                                                \
    case WM_TOKEN_EQUAL:                                                                                               \
        EACH(member, i, a == b);                                                                                       \
    case WM_TOKEN_UNEQUAL:                                                                                             \
        EACH(member, i, a != b);                                                                                       \
    case '<':                                                                                                          \
        EACH(member, i, a < b);                                                                                        \
    case '>':                                                                                                          \
        EACH(member, i, a > b);                                                                                        \
    case WM_TOKEN_LESS_EQUAL:                                                                                          \
        EACH(member, i, a <= b);                                                                                       \
    case WM_TOKEN_GREATER_EQUAL:                                                                                       \
        EACH(member, i, a >= b)

#define REAL(type, member)                                                                                             \
    static int reckon_##type(int operation, struct wm_values x, struct wm_values y, int count, union wm_scalar to[])   \
    {                                                                                                                  \
        type a, b;                                                                                                     \
                                                                                                                       \
        switch (operation) {                                                                                           \
            COMPARE(member);                                                                                           \
        case '+':                                                                                                      \
            EACH(member, member, a + b);                                                                               \
        case '-':                                                                                                      \
            EACH(member, member, a - b);                                                                               \
        case '*':                                                                                                      \
            EACH(member, member, a *b);                                                                                \
        case '/':                                                                                                      \
            EACH(member, member, a / b);                                                                               \
        default:                                                                                                       \
            WM_BUG("an unknown operator");                                                                             \
        }                                                                                                              \
        return -1;                                                                                                     \
    }

/* Whole numbers are reckoned as `wide`, which wraps around. By -1 they are divided as such: the least of a type has no
 * quotient that C defines. */
#define WHOLE(type, wide, member)                                                                                      \
    static int divide_##type(bool rest, struct wm_values x, struct wm_values y, int count, union wm_scalar to[])       \
    {                                                                                                                  \
        for (int i = 0; i < count; i++) {                                                                              \
            type a = (type)wm_value(x, i).member, b = (type)wm_value(y, i).member;                                     \
                                                                                                                       \
            if (b == 0)                                                                                                \
                return i;                                                                                              \
            if (b == (type)-1 && (type)-1 < (type)1)                                                                   \
                to[i].member = rest ? 0 : (type)(0 - (wide)a);                                                         \
            else                                                                                                       \
                to[i].member = rest ? a % b : a / b;                                                                   \
        }                                                                                                              \
        return -1;                                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static int shift_##type(bool left, struct wm_values x, struct wm_values y, int count, union wm_scalar to[])        \
    {                                                                                                                  \
        for (int i = 0; i < count; i++) {                                                                              \
            type a = (type)wm_value(x, i).member;                                                                      \
            int64_t b = wm_value(y, i).i;                                                                              \
                                                                                                                       \
            if (b < 0 || b >= 8 * (int64_t)sizeof a)                                                                   \
                return i;                                                                                              \
            to[i].member = left ? (type)((wide)a << b) : (type)(a >> b);                                               \
        }                                                                                                              \
        return -1;                                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    static int reckon_##type(int operation, struct wm_values x, struct wm_values y, int count, union wm_scalar to[])   \
    {                                                                                                                  \
        type a, b;                                                                                                     \
                                                                                                                       \
        switch (operation) {                                                                                           \
            COMPARE(member);                                                                                           \
        case '+':                                                                                                      \
            EACH(member, member, (type)((wide)a + (wide)b));                                                           \
        case '-':                                                                                                      \
            EACH(member, member, (type)((wide)a - (wide)b));                                                           \
        case '*':                                                                                                      \
            EACH(member, member, (type)((wide)a * (wide)b));                                                           \
        case '&':                                                                                                      \
            EACH(member, member, a &b);                                                                                \
        case '|':                                                                                                      \
            EACH(member, member, a | b);                                                                               \
        case '^':                                                                                                      \
            EACH(member, member, a ^ b);                                                                               \
        case '/':                                                                                                      \
        case '%':                                                                                                      \
            return divide_##type(operation == '%', x, y, count, to);                                                   \
        case WM_TOKEN_LEFT:                                                                                            \
        case WM_TOKEN_RIGHT:                                                                                           \
            return shift_##type(operation == WM_TOKEN_LEFT, x, y, count, to);                                          \
        default:                                                                                                       \
            WM_BUG("an unknown operator");                                                                             \
        }                                                                                                              \
        return -1;                                                                                                     \
    }

REAL(float, f)
REAL(double, d)
WHOLE(int32_t, uint32_t, i)
WHOLE(uint32_t, uint32_t, i)
WHOLE(int64_t, uint64_t, i)
WHOLE(uint64_t, uint64_t, u)

int wm_scalars_reckon(int operation, enum wm_number number, struct wm_values a, struct wm_values b, int count,
                      union wm_scalar to[])
{
    switch (number) {
    case WM_FLOAT:
        return reckon_float(operation, a, b, count, to);
    case WM_DOUBLE:
        return reckon_double(operation, a, b, count, to);
    case WM_INT32:
        return reckon_int32_t(operation, a, b, count, to);
    case WM_UINT32:
        return reckon_uint32_t(operation, a, b, count, to);
    case WM_INT64:
        return reckon_int64_t(operation, a, b, count, to);
    case WM_UINT64:
        return reckon_uint64_t(operation, a, b, count, to);
    default:
        WM_BUG("short numbers are promoted");
    }
}

/* ---- functions ---- */

void wm_function_call(const struct wm_bound *function, const struct wm_values arguments[], int count,
                      union wm_scalar to[])
{
    union wm_scalar a[WM_ARGUMENTS_MAX];

    switch ((enum wm_signature)function->signature) {
#define MEMBER_INT32 i
#define MEMBER_INT64 i
#define MEMBER_UINT64 u
#define MEMBER_FLOAT f
#define MEMBER_DOUBLE d
#define X(name, number, argument, arity, type, parameters, values)                                                     \
    case WM_SIGNATURE_##name:                                                                                          \
        for (int i = 0; i < count; i++) {                                                                              \
            for (int k = 0; k < arity; k++)                                                                            \
                a[k] = wm_value(arguments[k], i);                                                                      \
            to[i].MEMBER_##number = ((type(*) parameters)function->function)values;                                    \
        }                                                                                                              \
        break;
        WM_SIGNATURES(X)
#undef X
    case WM_SIGNATURE_OTHER:
        WM_BUG("a function of unknown type is called");
    }
}
