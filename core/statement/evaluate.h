/* Expressions of a statement, evaluated at a rank: numbers, and places in what the program has bound.
 *
 * Values and faults are C's where C says what they are; what C leaves undefined is a fault (a division by zero, a shift
 * by more than the width, a number that its type has not, an index outside), but for whole numbers, which wrap around.
 *
 * A rank evaluates for one combination of the variables' values, or for many at once, which are its **lanes**: what
 * differs between them has a value in each. */
#ifndef WM_EVALUATE_H
#define WM_EVALUATE_H

#include "core/statement/scalar.h"
#include "core/statement/section.h"
#include "core/statement/statement.h"

enum { WM_VALUE_LANES = 128 }; /* at once, at most */

/* A rank while it evaluates. The first fault stays; what is evaluated after it is 0. */
struct wm_frame {
    const struct wm_statement *s;
    const struct wm_bound *bindings;
    int me, ranks;
    int lanes;                                  /* 0, as 1: one */
    uint32_t varying;                           /* variables that have a value in each lane */
    union wm_scalar (*columns)[WM_VALUE_LANES]; /* by variable: of those that vary */
    union wm_scalar variables[WM_VARIABLES_MAX];
    int rc; /* 0, or -WM_EINVAL */
    struct wm_error *error;
};

/* Do `work` for so many lanes at once, in which `varying` have these values. Where that is a fault, do it once for each
 * lane, in their order, so that the first fault is told of: `work` has no effect where it has a fault. */
void wm_frame_each(struct wm_frame *f, int lanes, uint32_t varying, union wm_scalar columns[][WM_VALUE_LANES],
                   void (*work)(struct wm_frame *f, void *with), void *with);

static inline int wm_frame_lanes(const struct wm_frame *f)
{
    return f->lanes > 1 ? f->lanes : 1;
}

static inline union wm_scalar wm_frame_variable(const struct wm_frame *f, int variable, int lane)
{
    return (f->varying >> variable & 1) != 0 ? f->columns[variable][lane] : f->variables[variable];
}

/* A number, where there is one lane. */
union wm_scalar wm_evaluate(struct wm_frame *f, int term);
bool wm_evaluate_truth(struct wm_frame *f, int term);
/* Numbers: of each lane, or one that all have. They stand in `room`, or where they stood. */
struct wm_values wm_evaluate_values(struct wm_frame *f, int term, union wm_scalar room[WM_VALUE_LANES]);
/* A place, where there is one lane; of count 0 after a fault. */
struct wm_section wm_evaluate_place(struct wm_frame *f, int term);
/* The places of all lanes. */
void wm_evaluate_places(struct wm_frame *f, int term, struct wm_section sections[]);
/* Of a place that is one element: which one, in each lane. */
void wm_evaluate_elements(struct wm_frame *f, int term, size_t offsets[WM_VALUE_LANES]);

/* Say the values of `variables` (bits) behind what is said: ", where i = 3, j = 2". */
void wm_frame_append_variables(const struct wm_frame *f, uint32_t variables, char *out, size_t out_bytes);
/* Say that something is wrong at a term, and for which values of its variables. */
void wm_frame_fault(struct wm_frame *f, int term, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
