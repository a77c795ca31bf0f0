/* Expressions of a statement, evaluated at a rank: numbers, and places in what the program has bound.
 *
 * Values and faults are C's where C says what they are; what C leaves undefined is a fault (a division by zero, a shift
 * by more than the width, a number that its type has not, an index outside), but for whole numbers, which wrap around.
 */
#ifndef WM_EVALUATE_H
#define WM_EVALUATE_H

#include "core/statement/statement.h"

/* A rank while it evaluates. The first fault stays; what is evaluated after it is 0. */
struct wm_frame {
    const struct wm_statement *s;
    const struct wm_bound *bindings;
    int me, ranks;
    union wm_scalar variables[WM_VARIABLES_MAX];
    int rc; /* 0, or -WM_EINVAL */
    struct wm_error *error;
};

/* Elements of a binding: in dimension d `counts[d]` of them, `strides[d]` elements apart. */
struct wm_section {
    int binding, dimensions;
    size_t offset; /* of the first, in elements of memory */
    size_t counts[WM_DIMENSIONS], strides[WM_DIMENSIONS];
    size_t count; /* all of them */
};

union wm_scalar wm_evaluate(struct wm_frame *f, int term);
bool wm_evaluate_truth(struct wm_frame *f, int term);
/* A place; of count 0 after a fault. */
struct wm_section wm_evaluate_place(struct wm_frame *f, int term);

/* A number in memory, and a number put there. */
union wm_scalar wm_scalar_load(enum wm_number number, const void *from);
void wm_scalar_store(enum wm_number number, void *to, union wm_scalar value);
bool wm_scalar_is_true(enum wm_number number, union wm_scalar value);

/* Call a function that the program has bound. */
union wm_scalar wm_function_call(const struct wm_bound *function, const union wm_scalar arguments[]);

size_t wm_binding_element_bytes(const struct wm_bound *b);
/* How many elements it has. */
size_t wm_binding_count(const struct wm_bound *b);
/* All of it, as a place; `binding` is its number. */
struct wm_section wm_binding_section(const struct wm_bound *b, int binding);
/* Up to where its elements reach, with what stands between them. */
const char *wm_binding_end(const struct wm_bound *b);
/* Which of its elements stands at an offset. */
size_t wm_binding_element(const struct wm_bound *b, size_t offset);

/* Say the values of `variables` (bits) behind what is said: ", where i = 3, j = 2". */
void wm_frame_append_variables(const struct wm_frame *f, uint32_t variables, char *out, size_t out_bytes);
/* Say that something is wrong at a term, and for which values of its variables. */
void wm_frame_fault(struct wm_frame *f, int term, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
