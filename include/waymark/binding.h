/* Bindings: what the names of a statement stand for at a rank (waymark/communicate.h).
 *
 * A binding says where the values are, of what type, and how many: it is the place itself, so that a statement reads
 * and writes the program's variables. It is read when a statement is called, and not kept. */
#ifndef WM_BINDING_H
#define WM_BINDING_H

#include <stddef.h>
#include "waymark/number.h"

enum { WM_DIMENSIONS = 3, WM_BINDINGS_MAX = 64 };

/* What a binding stands for. */
enum wm_bound_kind {
    WM_BOUND_PLACE,    /* a number, a struct, or an array of them */
    WM_BOUND_FUNCTION, /* of numbers: called in expressions, and an operator where it has two arguments of its type */
    WM_BOUND_COMBINE,  /* an operator of structs */
    WM_BOUND_POINTER,  /* how far it reaches is not said: refused, with what to write */
    WM_BOUND_UNKNOWN   /* its type is not said: refused, with what to write */
};

/* What is promised of a binding, or said of it, in `promises`. */
enum wm_promise {
    WM_IS_UNIFORM = 1, /* the same extents at all ranks, and the same values, where who sends what depends on them */
    WM_IS_STABLE = 2,  /* the values change only where wm_touch is called after it */
    WM_IS_ORDERED = 4, /* an operator that does not commute */
    WM_IS_SIZED = 8,   /* the same extents at all ranks */
    WM_IS_VALUE = 16   /* a value that is the call's own: nothing is stored into it */
};

/* X(name, result, argument, count, result type, parameters, arguments from a[]): functions that can be called. */
/* clang-format off */
#define WM_SIGNATURES(X)                                                                                               \
    X(INT_0,    INT32,  INT32,  0, int,           (void),                   ())                                        \
    X(INT_1,    INT32,  INT32,  1, int,           (int),                    ((int)a[0].i))                             \
    X(INT_2,    INT32,  INT32,  2, int,           (int, int),               ((int)a[0].i, (int)a[1].i))                \
    X(INT_3,    INT32,  INT32,  3, int,           (int, int, int),          ((int)a[0].i, (int)a[1].i, (int)a[2].i))   \
    X(LONG_1,   INT64,  INT64,  1, long,          (long),                   (a[0].i))                                  \
    X(LONG_2,   INT64,  INT64,  2, long,          (long, long),             (a[0].i, a[1].i))                          \
    X(INT_LONG, INT32,  INT64,  1, int,           (long),                   (a[0].i))                                  \
    X(SIZE_1,   UINT64, UINT64, 1, unsigned long, (unsigned long),          (a[0].u))                                  \
    X(SIZE_2,   UINT64, UINT64, 2, unsigned long, (unsigned long, unsigned long), (a[0].u, a[1].u))                    \
    X(FLOAT_1,  FLOAT,  FLOAT,  1, float,         (float),                  (a[0].f))                                  \
    X(FLOAT_2,  FLOAT,  FLOAT,  2, float,         (float, float),           (a[0].f, a[1].f))                          \
    X(DOUBLE_1, DOUBLE, DOUBLE, 1, double,        (double),                 (a[0].d))                                  \
    X(DOUBLE_2, DOUBLE, DOUBLE, 2, double,        (double, double),         (a[0].d, a[1].d))                          \
    X(DOUBLE_3, DOUBLE, DOUBLE, 3, double,        (double, double, double), (a[0].d, a[1].d, a[2].d))                  \
    X(INT_DOUBLE, INT32, DOUBLE, 1, int,          (double),                 (a[0].d))                                  \
    X(DOUBLE_INT, DOUBLE, INT32, 1, double,       (int),                    ((int)a[0].i))
/* clang-format on */

enum wm_signature {
#define X(name, ...) WM_SIGNATURE_##name,
    WM_SIGNATURES(X)
#undef X
        WM_SIGNATURE_OTHER
};

struct wm_bound {
    const char *name;
    unsigned char kind;       /* enum wm_bound_kind */
    unsigned char number;     /* enum wm_number of an element; WM_BYTES: of a struct */
    unsigned char promises;   /* enum wm_promise */
    unsigned char dimensions; /* of an array; 0: it is one value */
    unsigned char signature;  /* enum wm_signature, of a function */
    union {
        void *at;               /* the first element */
        void (*function)(void); /* of a function or an operator */
    };
    union {
        size_t element_bytes; /* of a struct, and of those that an operator combines */
        size_t stride; /* of an array of numbers, the same in all calls: elements from one of the first dimension to the
                          next; 0: they stand one behind the other */
    };
    size_t extents[WM_DIMENSIONS]; /* elements in each dimension, the slowest first; with no dimension, none */
    const void *type;              /* of both: what alike structs have in common, such as an MPI datatype */
};

#endif
