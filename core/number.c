/* Numbers: conversions between arithmetic types, exact or refused. */
#include "waymark/number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { FLOAT_BITS = 24, DOUBLE_BITS = 53 }; /* of a significand */

size_t wm_number_bytes(enum wm_number type)
{
    static const size_t bytes[] = {1,
#define X(name, type, text) sizeof(type),
                                   WM_NUMBERS(X)
#undef X
    };

    return bytes[type];
}

const char *wm_number_name(enum wm_number type)
{
    static const char *const names[] = {"bytes",
#define X(name, type, text) text,
                                        WM_NUMBERS(X)
#undef X
    };

    return names[type];
}

/* A number that any of the types can have. */
struct value {
    bool floats;
    double floating;    /* if it floats */
    bool negative;      /* else: its sign, */
    uint64_t magnitude; /* and what is left of it */
};

static struct value of_integer(bool negative, uint64_t bits)
{
    return (struct value){.negative = negative, .magnitude = negative ? -bits : bits};
}

static struct value load(enum wm_number type, const void *from)
{
    float single;
    double floating;

    switch (type) {
    case WM_FLOAT:
        memcpy(&single, from, sizeof single);
        return (struct value){.floats = true, .floating = single};
    case WM_DOUBLE:
        memcpy(&floating, from, sizeof floating);
        return (struct value){.floats = true, .floating = floating};
#define INTEGER(name, integer)                                                                                         \
    case WM_##name: {                                                                                                  \
        integer number;                                                                                                \
                                                                                                                       \
        memcpy(&number, from, sizeof number);                                                                          \
        return of_integer(number < (integer)1 && number != 0, (uint64_t)number);                                       \
    }
        INTEGER(INT8, int8_t)
        INTEGER(INT16, int16_t)
        INTEGER(INT32, int32_t)
        INTEGER(INT64, int64_t)
        INTEGER(UINT8, uint8_t)
        INTEGER(UINT16, uint16_t)
        INTEGER(UINT32, uint32_t)
        INTEGER(UINT64, uint64_t)
#undef INTEGER
    default:
        return (struct value){.floats = true, .floating = NAN};
    }
}

/* A floating-point number as an integer; false: it is none of less than 2^64. */
static bool make_integer(struct value *v)
{
    double magnitude = fabs(v->floating);

    if (!v->floats)
        return true;
    if (!(magnitude < 0x1p64) || magnitude != (double)(uint64_t)magnitude)
        return false;
    *v = (struct value){.negative = v->floating < 0, .magnitude = (uint64_t)magnitude};
    return true;
}

/* An integer as a floating-point number of so many bits; false: it has more. */
static bool make_floating(struct value *v, int bits)
{
    if (v->floats)
        return true;
    if (v->magnitude != 0 && v->magnitude >> __builtin_ctzll(v->magnitude) >> bits != 0)
        return false;
    v->floating = v->negative ? -(double)v->magnitude : (double)v->magnitude;
    return true;
}

/* A double that a float can be: its last bits are 0, and more of them below the least normal one. */
static bool is_single(double d)
{
    int exponent, bits = FLOAT_BITS;
    double fraction;
    int64_t significand;

    if (d == 0 || !isfinite(d))
        return true;
    fraction = frexp(d, &exponent);
    if (exponent > 128)
        return false;
    if (exponent < -125)
        bits -= -125 - exponent;
    significand = (int64_t)ldexp(fabs(fraction), DOUBLE_BITS);
    return bits > 0 && (significand & (((int64_t)1 << (DOUBLE_BITS - bits)) - 1)) == 0;
}

static bool store_integer(struct value v, void *to, size_t bytes, bool has_sign)
{
    uint64_t limit = UINT64_MAX >> (64 - 8 * bytes), bits;

    if (!make_integer(&v))
        return false;
    if (v.negative ? !has_sign || v.magnitude > limit / 2 + 1 : v.magnitude > (has_sign ? limit / 2 : limit))
        return false;
    bits = v.negative ? -v.magnitude : v.magnitude;
    switch (bytes) {
    case 1:
        memcpy(to, &(uint8_t){(uint8_t)bits}, 1);
        break;
    case 2:
        memcpy(to, &(uint16_t){(uint16_t)bits}, 2);
        break;
    case 4:
        memcpy(to, &(uint32_t){(uint32_t)bits}, 4);
        break;
    default:
        memcpy(to, &bits, 8);
    }
    return true;
}

static bool store(struct value v, enum wm_number type, void *to)
{
    float single;

    switch (type) {
    case WM_FLOAT:
        if (!make_floating(&v, FLOAT_BITS) || !is_single(v.floating))
            return false;
        single = (float)v.floating;
        memcpy(to, &single, sizeof single);
        return true;
    case WM_DOUBLE:
        if (!make_floating(&v, DOUBLE_BITS))
            return false;
        memcpy(to, &v.floating, sizeof v.floating);
        return true;
    default:
        return store_integer(v, to, wm_number_bytes(type), type < WM_UINT8);
    }
}

size_t wm_numbers_convert(enum wm_number to_type, void *to, enum wm_number from_type, const void *from, size_t count)
{
    size_t to_bytes = wm_number_bytes(to_type), from_bytes = wm_number_bytes(from_type);

    for (size_t i = 0; i < count; i++)
        if (!store(load(from_type, (const char *)from + i * from_bytes), to_type, (char *)to + i * to_bytes))
            return i;
    return count;
}
