/* Numbers as C has them, reckoned in wider ones and brought back to their type: the oracle's arithmetic. */
#ifndef WM_TESTS_STATEMENT_VALUE_H
#define WM_TESTS_STATEMENT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include "waymark/number.h"

/* Operators of more than one character; the others are their character. */
enum { OP_LEFT = 256, OP_RIGHT, OP_LESS_EQUAL, OP_GREATER_EQUAL, OP_EQUAL, OP_UNEQUAL, OP_AND, OP_OR };

struct value {
    enum wm_number type;
    __int128 whole; /* of an integer */
    double real;    /* of a float or double */
};

bool type_is_real(enum wm_number type);
bool type_is_signed(enum wm_number type);
int type_bits(enum wm_number type);
/* The least and the greatest integer of a type. */
__int128 type_least(enum wm_number type);
__int128 type_greatest(enum wm_number type);
/* C 6.3.1.1 and 6.3.1.8. */
enum wm_number type_promoted(enum wm_number type);
enum wm_number type_common(enum wm_number a, enum wm_number b);
/* The type of `a op b`, and of `op a`. */
enum wm_number type_binary(int op, enum wm_number a, enum wm_number b);
enum wm_number type_unary(int op, enum wm_number a);

struct value value_whole(enum wm_number type, __int128 whole);
struct value value_real(enum wm_number type, double real);
bool value_is_true(struct value v);
bool value_alike(struct value a, struct value b);
struct value value_load(enum wm_number type, const void *from);
void value_store(struct value v, void *to);

/* As C converts; sets *fault where C leaves it undefined. */
struct value value_convert(struct value v, enum wm_number type, bool *fault);
/* The same number in another type; false: that has it not. */
bool value_exact(struct value v, enum wm_number type, struct value *out);
/* The operands have their own types. Sets *fault where C leaves the result undefined, but for whole numbers, which wrap
 * around. */
struct value value_unary(int op, struct value a);
struct value value_binary(int op, struct value a, struct value b, bool *fault);

#endif
