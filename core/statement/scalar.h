/* Numbers of a statement: in memory, reckoned with, and given to functions; many at once. */
#ifndef WM_SCALAR_H
#define WM_SCALAR_H

#include <stdbool.h>
#include "core/statement/token.h"
#include "waymark/binding.h"

enum { WM_ARGUMENTS_MAX = 3 }; /* of a function */

/* Numbers of lanes: of each one, or one that all have. */
struct wm_values {
    const union wm_scalar *at;
    int count;
};

static inline union wm_scalar wm_value(struct wm_values values, int lane)
{
    return values.at[lane & -(values.count > 1)]; /* without a branch in loops */
}

/* A number in memory, and a number put there. */
union wm_scalar wm_scalar_load(enum wm_number number, const void *from);
void wm_scalar_store(enum wm_number number, void *to, union wm_scalar value);
bool wm_scalar_is_true(enum wm_number number, union wm_scalar value);

/* The numbers of these elements. */
void wm_scalars_gather(enum wm_number number, const void *from, const size_t elements[], int count,
                       union wm_scalar to[]);
/* Numbers `stride` bytes apart, loaded and stored. */
void wm_scalars_load(enum wm_number number, const char *from, size_t stride, int count, union wm_scalar to[]);
/* … stored behind these places. */
void wm_scalars_store(enum wm_number number, char *const places[], size_t behind, struct wm_values values, int count);

/* What an operator (a token's kind) makes of `count` numbers of a type; a shift's right ones are int64. Returns the
 * first that C leaves undefined, behind which nothing is reckoned, or -1. */
int wm_scalars_reckon(int operation, enum wm_number number, struct wm_values a, struct wm_values b, int count,
                      union wm_scalar to[]);

/* Call a function that the program has bound, `count` times. */
void wm_function_call(const struct wm_bound *function, const struct wm_values arguments[], int count,
                      union wm_scalar to[]);

#endif
