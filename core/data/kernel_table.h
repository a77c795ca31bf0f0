/* Sets of kernels: the same functions, compiled for the instructions of several processors. For core/data/kernel and
 * its test.
 *
 * A kernel belongs to a *kind* of element, which is how the processor sees a type, and an operator: MPI_LONG,
 * MPI_INTEGER8 and MPI_COUNT are all the kind I64 here. Both lists stand below, once; core/data/kernel_body.inc.h makes
 * a set's functions and its table from them, and a set is a file that includes it with other instructions allowed.
 *
 * What the operators yield, with x from the left operand `a` and y from the right operand `b`, on every set:
 *
 *   integers     sum and product wrap around; logical operators yield 0 or 1, and take all but 0 as true
 *   MIN, MAX     y < x ? y : x and y > x ? y : x, of Open MPI's base component (its inout is our right operand): where
 *                the two are equal or one is NaN the left one stays, so of +0 and -0, or NaN and 1, the left one
 *   real         IEEE's sum and product, rounded once; that a result is NaN is certain, which NaN is not (as in C)
 *   complex      C's sum and product: a product that comes to NaN + NaN i is mended as C's Annex G says */
#ifndef WM_KERNEL_TABLE_H
#define WM_KERNEL_TABLE_H

#include <complex.h>
#include <stdint.h>
#include "core/data/kernel.h"

/* Kind, the name of its functions, its type in C, and for a signed integer the kind that serves where signs do not
 * matter, or for a complex number the kind of its parts. */
/* clang-format off */
#define WM_KERNEL_KINDS(UNSIGNED, SIGNED, REAL, COMPLEX) \
    UNSIGNED(U8, u8, uint8_t)                            \
    UNSIGNED(U16, u16, uint16_t)                         \
    UNSIGNED(U32, u32, uint32_t)                         \
    UNSIGNED(U64, u64, uint64_t)                         \
    SIGNED(I8, i8, int8_t, u8)                           \
    SIGNED(I16, i16, int16_t, u16)                       \
    SIGNED(I32, i32, int32_t, u32)                       \
    SIGNED(I64, i64, int64_t, u64)                       \
    REAL(F32, f32, float)                                \
    REAL(F64, f64, double)                               \
    COMPLEX(C32, c32, float _Complex, f32)               \
    COMPLEX(C64, c64, double _Complex, f64)

#define WM_KERNEL_OPERATORS(X) X(SUM) X(PROD) X(MIN) X(MAX) X(LAND) X(LOR) X(LXOR) X(BAND) X(BOR) X(BXOR)
/* clang-format on */

enum wm_kernel_kind {
#define X(kind, ...) WM_KERNEL_##kind,
    WM_KERNEL_KINDS(X, X, X, X)
#undef X
        WM_KERNEL_KINDS_COUNT
};

enum wm_kernel_operator {
#define X(name) WM_KERNEL_##name,
    WM_KERNEL_OPERATORS(X)
#undef X
        WM_KERNEL_OPERATORS_COUNT
};

struct wm_kernel_set {
    const char *instructions;
    wm_kernel *of[WM_KERNEL_KINDS_COUNT][WM_KERNEL_OPERATORS_COUNT]; /* NULL: none */
};

extern const struct wm_kernel_set wm_kernel_baseline;
#if defined(__x86_64__)
extern const struct wm_kernel_set wm_kernel_avx2, wm_kernel_avx512;
#endif

/* The sets that this processor can run, the best first, the baseline last; NULL from there on. Any thread. */
const struct wm_kernel_set *wm_kernel_set_at(int index);

/* wm_kernel_find in a set. */
wm_kernel *wm_kernel_find_in(const struct wm_kernel_set *set, MPI_Datatype type, MPI_Op op);

#endif
