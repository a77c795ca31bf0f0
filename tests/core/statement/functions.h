/* Functions and structs of the program that random statements are bound to. */
#ifndef WM_TESTS_STATEMENT_FUNCTIONS_H
#define WM_TESTS_STATEMENT_FUNCTIONS_H

#include "tests/core/statement/value.h"
#include "waymark/binding.h"

/* X(name, signature, result, argument, how many): all are defined for any argument, but `owner`. */
#define FUNCTIONS(X)                                                                                                   \
    X(seven, INT_0, INT32, INT32, 0)                                                                                   \
    X(owner, INT_1, INT32, INT32, 1)                                                                                   \
    X(fold, INT_2, INT32, INT32, 2)                                                                                    \
    X(weave, INT_2, INT32, INT32, 2)                                                                                   \
    X(median, INT_3, INT32, INT32, 3)                                                                                  \
    X(twist, LONG_1, INT64, INT64, 1)                                                                                  \
    X(weave_long, LONG_2, INT64, INT64, 2)                                                                             \
    X(digits, INT_LONG, INT32, INT64, 1)                                                                               \
    X(scramble, SIZE_1, UINT64, UINT64, 1)                                                                             \
    X(weave_size, SIZE_2, UINT64, UINT64, 2)                                                                           \
    X(halve_float, FLOAT_1, FLOAT, FLOAT, 1)                                                                           \
    X(weave_float, FLOAT_2, FLOAT, FLOAT, 2)                                                                           \
    X(halve, DOUBLE_1, DOUBLE, DOUBLE, 1)                                                                              \
    X(weave_double, DOUBLE_2, DOUBLE, DOUBLE, 2)                                                                       \
    X(mix, DOUBLE_3, DOUBLE, DOUBLE, 3)                                                                                \
    X(sign, INT_DOUBLE, INT32, DOUBLE, 1)                                                                              \
    X(quarter, DOUBLE_INT, DOUBLE, INT32, 1)

enum function {
#define X(name, ...) FUNCTION_##name,
    FUNCTIONS(X)
#undef X
        FUNCTION_COUNT
};

struct function_row {
    const char *name;
    enum wm_signature signature;
    enum wm_number result, argument;
    int count;
    void (*address)(void);
};

extern const struct function_row functions[FUNCTION_COUNT];

/* What a program would compute: the arguments have the types of the row. */
struct value function_call(enum function function, const struct value a[]);

/* `owner` was called for less than 0, which no statement does whose filters come before references. */
extern bool owner_misused;

struct pair {
    int64_t key;
    double weight;
};

struct crumb {
    signed char a, b, c;
};

void pair_combine(void *inout, const void *in);
void crumb_combine(void *inout, const void *in);

/* Stand for MPI datatypes. */
extern const int pair_type, crumb_type;

#endif
