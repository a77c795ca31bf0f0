/* What the names of the statements under test stand for: one of each kind. */
#ifndef WM_TESTS_STATEMENT_NAMES_H
#define WM_TESTS_STATEMENT_NAMES_H

#include <stdint.h>
#include "waymark/binding.h"

struct pair {
    double value;
    int rank;
};

struct other {
    double value[3];
};

static int n = 4, right = 1, A[8] = {0, 1, 2, 3, 4, 5, 6, 7}, M[3][4], one[1];
static double x_place = 2.5, B[8] = {0.5, 1, 2, 3};
static float real;
static int8_t tiny;
static uint64_t huge = UINT64_MAX;
static struct pair best, pairs[4];
static struct other item;

static int owner(int i)
{
    return i / 2;
}

static int add(int a, int b)
{
    return a + b;
}

static double half(double a)
{
    return a / 2;
}

static void least(void *inout, const void *in)
{
    if (((const struct pair *)in)->value < ((struct pair *)inout)->value)
        *(struct pair *)inout = *(const struct pair *)in;
}

#define PLACE(what, type, ...)                                                                                         \
    {                                                                                                                  \
        .name = #what, .kind = WM_BOUND_PLACE, .number = type, .at = (void *)&what, __VA_ARGS__                        \
    }
#define STRUCT(what, of, ...) PLACE(what, WM_BYTES, .element_bytes = sizeof(struct of), .type = #of, __VA_ARGS__)
#define FUNCTION(what, of)                                                                                             \
    {                                                                                                                  \
        .name = #what, .kind = WM_BOUND_FUNCTION, .signature = WM_SIGNATURE_##of, .function = (void (*)(void))what     \
    }

static const struct wm_bound names[] = {
    PLACE(n, WM_INT32),
    PLACE(right, WM_INT32),
    PLACE(A, WM_INT32, .dimensions = 1, .extents = {8}),
    PLACE(M, WM_INT32, .dimensions = 2, .extents = {3, 4}),
    PLACE(one, WM_INT32, .dimensions = 1, .extents = {1}),
    {.name = "x", .kind = WM_BOUND_PLACE, .number = WM_DOUBLE, .at = (void *)&x_place},
    PLACE(B, WM_DOUBLE, .dimensions = 1, .extents = {8}),
    PLACE(real, WM_FLOAT),
    PLACE(tiny, WM_INT8),
    PLACE(huge, WM_UINT64),
    STRUCT(best, pair),
    STRUCT(pairs, pair, .dimensions = 1, .extents = {4}),
    STRUCT(item, other),
    /* As large as a pair, but of another type; of a pair's type, as the program says, but larger. */
    {.name = "twin", .at = (void *)&best, .element_bytes = sizeof(struct pair), .type = "twin"},
    {.name = "wide", .at = (void *)&item, .element_bytes = sizeof(struct other), .type = "pair"},
    FUNCTION(owner, INT_1),
    FUNCTION(add, INT_2),
    FUNCTION(half, DOUBLE_1),
    {.name = "least",
     .kind = WM_BOUND_COMBINE,
     .number = WM_BYTES,
     .function = (void (*)(void))least,
     .element_bytes = sizeof(struct pair),
     .type = "pair"},
};

enum { NAMES = sizeof names / sizeof names[0] };

#endif
