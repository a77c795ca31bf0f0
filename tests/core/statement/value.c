/* Numbers as C has them, reckoned in wider ones and brought back to their type. */
#include "tests/core/statement/value.h"

#include <math.h>
#include <string.h>
#include "core/error.h"

bool type_is_real(enum wm_number type)
{
    return type == WM_FLOAT || type == WM_DOUBLE;
}

bool type_is_signed(enum wm_number type)
{
    return type >= WM_INT8 && type <= WM_INT64;
}

int type_bits(enum wm_number type)
{
    static const int bits[] = {
        [WM_INT8] = 8,    [WM_INT16] = 16,  [WM_INT32] = 32,  [WM_INT64] = 64, [WM_UINT8] = 8,
        [WM_UINT16] = 16, [WM_UINT32] = 32, [WM_UINT64] = 64, [WM_FLOAT] = 32, [WM_DOUBLE] = 64,
    };

    return bits[type];
}

__int128 type_least(enum wm_number type)
{
    return type_is_signed(type) ? -((__int128)1 << (type_bits(type) - 1)) : 0;
}

__int128 type_greatest(enum wm_number type)
{
    return ((__int128)1 << (type_bits(type) - type_is_signed(type))) - 1;
}

enum wm_number type_promoted(enum wm_number type)
{
    return type_bits(type) < 32 ? WM_INT32 : type;
}

enum wm_number type_common(enum wm_number a, enum wm_number b)
{
    a = type_promoted(a);
    b = type_promoted(b);
    if (type_is_real(a) || type_is_real(b))
        return a == WM_DOUBLE || b == WM_DOUBLE ? WM_DOUBLE : WM_FLOAT;
    if (type_bits(a) != type_bits(b))
        return type_bits(a) > type_bits(b) ? a : b;
    return type_is_signed(a) ? b : a;
}

enum wm_number type_binary(int op, enum wm_number a, enum wm_number b)
{
    switch (op) {
    case '<':
    case '>':
    case OP_LESS_EQUAL:
    case OP_GREATER_EQUAL:
    case OP_EQUAL:
    case OP_UNEQUAL:
    case OP_AND:
    case OP_OR:
        return WM_INT32;
    case OP_LEFT:
    case OP_RIGHT:
        return type_promoted(a);
    default:
        return type_common(a, b);
    }
}

enum wm_number type_unary(int op, enum wm_number a)
{
    return op == '!' ? WM_INT32 : type_promoted(a);
}

struct value value_whole(enum wm_number type, __int128 whole)
{
    __int128 modulus = (__int128)1 << type_bits(type);

    whole %= modulus;
    if (whole < type_least(type))
        whole += modulus;
    if (whole > type_greatest(type))
        whole -= modulus;
    return (struct value){.type = type, .whole = whole};
}

struct value value_real(enum wm_number type, double real)
{
    return (struct value){.type = type, .real = type == WM_FLOAT ? (double)(float)real : real};
}

bool value_is_true(struct value v)
{
    return type_is_real(v.type) ? v.real != 0 : v.whole != 0;
}

bool value_alike(struct value a, struct value b)
{
    return a.type == b.type &&
           (type_is_real(a.type) ? memcmp(&a.real, &b.real, sizeof a.real) == 0 : a.whole == b.whole);
}

struct value value_load(enum wm_number type, const void *from)
{
    uint64_t bits = 0;
    float single;
    double real;

    if (type == WM_FLOAT) {
        memcpy(&single, from, sizeof single);
        return value_real(type, (double)single);
    }
    if (type == WM_DOUBLE) {
        memcpy(&real, from, sizeof real);
        return value_real(type, real);
    }
    memcpy(&bits, from, (size_t)type_bits(type) / 8); /* little-endian */
    return value_whole(type, bits);
}

void value_store(struct value v, void *to)
{
    uint64_t bits = (uint64_t)v.whole;
    float single = (float)v.real;

    if (type_is_real(v.type))
        memcpy(to, v.type == WM_FLOAT ? (void *)&single : (void *)&v.real, (size_t)type_bits(v.type) / 8);
    else
        memcpy(to, &bits, (size_t)type_bits(v.type) / 8);
}

struct value value_convert(struct value v, enum wm_number type, bool *fault)
{
    double whole;

    if (type_is_real(type)) {
        if (type_is_real(v.type))
            return value_real(type, v.real);
        return value_real(type, type == WM_FLOAT ? (double)(float)v.whole : (double)v.whole);
    }
    if (!type_is_real(v.type))
        return value_whole(type, v.whole);
    whole = trunc(v.real);
    if (!(whole >= -0x1p64 && whole <= 0x1p64) || (__int128)whole < type_least(type) ||
        (__int128)whole > type_greatest(type)) {
        *fault = true;
        return value_whole(type, 0);
    }
    return value_whole(type, (__int128)whole);
}

bool value_exact(struct value v, enum wm_number type, struct value *out)
{
    bool fault = false;

    *out = value_convert(v, type, &fault);
    if (fault)
        return false;
    if (type_is_real(v.type))
        return type_is_real(type) ? isnan(v.real) || out->real == v.real : (double)out->whole == v.real;
    return type_is_real(type) ? (__int128)out->real == v.whole : out->whole == v.whole;
}

struct value value_unary(int op, struct value a)
{
    enum wm_number type = type_unary(op, a.type);

    if (op == '!')
        return value_whole(type, !value_is_true(a));
    if (op == '-')
        return type_is_real(type) ? value_real(type, -a.real) : value_whole(type, -a.whole);
    if (op == '~')
        return value_whole(type, -a.whole - 1);
    return type_is_real(type) ? a : value_whole(type, a.whole);
}

static struct value shifted(int op, struct value a, struct value b, bool *fault)
{
    enum wm_number type = type_promoted(a.type);

    if (b.whole < 0 || b.whole >= type_bits(type)) {
        *fault = true;
        return value_whole(type, 0);
    }
    a = value_whole(type, a.whole);
    if (op == OP_LEFT)
        return value_whole(type, (__int128)(uint64_t)a.whole * ((__int128)1 << (int)b.whole) % ((__int128)1 << 64));
    return value_whole(type, a.whole >> (int)b.whole);
}

static bool ordered(int op, bool less, bool equal, bool greater)
{
    switch (op) {
    case '<':
        return less;
    case '>':
        return greater;
    case OP_LESS_EQUAL:
        return less || equal;
    case OP_GREATER_EQUAL:
        return greater || equal;
    case OP_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static struct value real_binary(int op, enum wm_number type, double a, double b)
{
    switch (op) {
    case '+':
        return value_real(type, type == WM_FLOAT ? (double)((float)a + (float)b) : a + b);
    case '-':
        return value_real(type, type == WM_FLOAT ? (double)((float)a - (float)b) : a - b);
    case '*':
        return value_real(type, type == WM_FLOAT ? (double)((float)a * (float)b) : a * b);
    default:
        return value_real(type, type == WM_FLOAT ? (double)((float)a / (float)b) : a / b);
    }
}

static struct value whole_binary(int op, enum wm_number type, __int128 a, __int128 b, bool *fault)
{
    switch (op) {
    case '+':
        return value_whole(type, a + b);
    case '-':
        return value_whole(type, a - b);
    case '*':
        return value_whole(type, (__int128)(((unsigned __int128)a * (unsigned __int128)b) & UINT64_MAX));
    case '&':
        return value_whole(type, a & b);
    case '|':
        return value_whole(type, a | b);
    case '^':
        return value_whole(type, a ^ b);
    default:
        if (b == 0) {
            *fault = true;
            return value_whole(type, 0);
        }
        return value_whole(type, op == '/' ? a / b : a % b);
    }
}

struct value value_binary(int op, struct value a, struct value b, bool *fault)
{
    enum wm_number type = type_binary(op, a.type, b.type), common;

    if (op == OP_AND || op == OP_OR)
        WM_BUG("the second operand is not always evaluated");
    if (op == OP_LEFT || op == OP_RIGHT)
        return shifted(op, a, b, fault);
    common = type_common(a.type, b.type);
    a = value_convert(a, common, fault);
    b = value_convert(b, common, fault);
    if (op == '<' || op == '>' || (op >= OP_LESS_EQUAL && op <= OP_UNEQUAL))
        return value_whole(WM_INT32, type_is_real(common)
                                         ? ordered(op, a.real<b.real, a.real == b.real, a.real> b.real)
                                         : ordered(op, a.whole<b.whole, a.whole == b.whole, a.whole> b.whole));
    return type_is_real(type) ? real_binary(op, type, a.real, b.real) : whole_binary(op, type, a.whole, b.whole, fault);
}
