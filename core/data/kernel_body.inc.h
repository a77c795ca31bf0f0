/* The kernels of one set. Include it after two macros: WM_KERNEL_SET (the set), WM_KERNEL_INSTRUCTIONS (their name),
 * and WM_KERNEL_TARGET (a function attribute, or nothing).
 *
 * Loops have no restrict, for `out` may be `a` or `b`; that it is nothing in between lets the compiler take the vectors
 * of an iteration all at once, which is what ivdep says: no test for aliasing at run time, one loop for all cases. The
 * elements' types may alias (MPI_LONG's memory holds long, or long long) and ask for no alignment, so that the compiler
 * does not peel iterations off to reach one. */
#include "core/data/kernel_table.h"

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Operators with their expressions, of x on the left and y on the right. A product's 1u keeps short factors from
 * becoming signed ones, which may overflow. */
/* clang-format off */
#define WRAPPING(X, ...)                             \
    X(SUM, sum, x + y, __VA_ARGS__)                  \
    X(PROD, prod, 1u * x * y, __VA_ARGS__)           \
    X(LAND, land, (x != 0) & (y != 0), __VA_ARGS__)  \
    X(LOR, lor, (x | y) != 0, __VA_ARGS__)           \
    X(LXOR, lxor, (x != 0) != (y != 0), __VA_ARGS__) \
    X(BAND, band, x & y, __VA_ARGS__)                \
    X(BOR, bor, x | y, __VA_ARGS__)                  \
    X(BXOR, bxor, x ^ y, __VA_ARGS__)
#define ORDERED(X, ...)                              \
    X(MIN, min, y < x ? y : x, __VA_ARGS__)          \
    X(MAX, max, y > x ? y : x, __VA_ARGS__)
#define PRODUCT(X, ...)                              \
    X(PROD, prod, x * y, __VA_ARGS__)
#define FIELD(X, ...)                                \
    X(SUM, sum, x + y, __VA_ARGS__)                  \
    PRODUCT(X, __VA_ARGS__)
/* clang-format on */

/* How many elements of a long result lie before the first boundary of a line. They go first: most buffers lie alike,
 * and vectors that cross lines cost up to twice the time. */
static inline size_t head_count(const void *out, size_t count, size_t element_bytes)
{
    enum { LINE_BYTES = 64, LONG_BYTES = 4096 };

    return count * element_bytes < LONG_BYTES ? 0 : -(uintptr_t)out % LINE_BYTES / element_bytes;
}

/* The loop stands apart, so that a short result needs no more than a jump to it. */
#define FUNCTION(OPERATOR, name, expression, kind, type)                                                               \
    WM_KERNEL_TARGET __attribute__((noinline)) static void name##_##kind##_loop(const void *left, const void *right,   \
                                                                                void *result, size_t count)            \
    {                                                                                                                  \
        typedef type element __attribute__((may_alias, aligned(1)));                                                   \
        const element *a = left, *b = right;                                                                           \
        element *out = result;                                                                                         \
                                                                                                                       \
        INDEPENDENT                                                                                                    \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const type x = a[i], y = b[i];                                                                             \
            out[i] = (type)(expression);                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    WM_KERNEL_TARGET static void name##_##kind(const void *left, const void *right, void *result, size_t count)        \
    {                                                                                                                  \
        const size_t head = head_count(result, count, sizeof(type)), bytes = head * sizeof(type);                      \
                                                                                                                       \
        if (head > 0)                                                                                                  \
            name##_##kind##_loop(left, right, result, head);                                                           \
        name##_##kind##_loop((const char *)left + bytes, (const char *)right + bytes, (char *)result + bytes,          \
                             count - head);                                                                            \
    }

/* A sum of complex numbers is one of twice as many parts. */
#define SUM_OF_PARTS(kind, part)                                                                                       \
    WM_KERNEL_TARGET static void sum_##kind(const void *left, const void *right, void *result, size_t count)           \
    {                                                                                                                  \
        sum_##part(left, right, result, 2 * count);                                                                    \
    }

#define UNSIGNED(KIND, kind, type) WRAPPING(FUNCTION, kind, type) ORDERED(FUNCTION, kind, type)
#define SIGNED(KIND, kind, type, wrapping_kind) ORDERED(FUNCTION, kind, type)
#define REAL(KIND, kind, type) FIELD(FUNCTION, kind, type) ORDERED(FUNCTION, kind, type)
#define COMPLEX(KIND, kind, type, part) SUM_OF_PARTS(kind, part) PRODUCT(FUNCTION, kind, type)
WM_KERNEL_KINDS(UNSIGNED, SIGNED, REAL, COMPLEX)
#undef UNSIGNED
#undef SIGNED
#undef REAL
#undef COMPLEX

#define ENTRY(OPERATOR, name, expression, KIND, kind) [WM_KERNEL_##KIND][WM_KERNEL_##OPERATOR] = name##_##kind,
#define UNSIGNED(KIND, kind, type) WRAPPING(ENTRY, KIND, kind) ORDERED(ENTRY, KIND, kind)
#define SIGNED(KIND, kind, type, wrapping_kind) WRAPPING(ENTRY, KIND, wrapping_kind) ORDERED(ENTRY, KIND, kind)
#define REAL(KIND, kind, type) FIELD(ENTRY, KIND, kind) ORDERED(ENTRY, KIND, kind)
#define COMPLEX(KIND, kind, type, part) FIELD(ENTRY, KIND, kind)
const struct wm_kernel_set WM_KERNEL_SET = {.instructions = WM_KERNEL_INSTRUCTIONS,
                                            .of = {WM_KERNEL_KINDS(UNSIGNED, SIGNED, REAL, COMPLEX)}};
