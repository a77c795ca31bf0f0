/* Validity: for which calls an answer of the map holds, as ranges of the facts that differ from call to call.
 *
 * One table: those facts, and how a range of them is told. In a struct wm_validity, and in the answer by its word
 * (core/path/path.h), each has a range of numbers: of a truth 0 and 1. */
#ifndef WM_VALIDITY_H
#define WM_VALIDITY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/path/facts.h"

/* X(field, one, other): how it is told of an answer that it holds for one number alone; and what stands before a range.
 * Of a truth: that it holds where it is true, and where it is false. */
#define WM_VARYING_FACTS(X)                                                                                            \
    X(bytes, "this size alone", "")                                                                                    \
    X(load, "this load alone", "loads of ")                                                                            \
    X(items, "this number of items alone", "numbers of items ")                                                        \
    X(root, "this root alone", "roots ")                                                                               \
    X(commutative, "operators that commute", "operators that do not commute")

struct wm_fact_range {
    uint64_t low, high; /* both included; UINT64_MAX: no end */
};

struct wm_validity {
#define X(field, one, other) struct wm_fact_range field;
    WM_VARYING_FACTS(X)
#undef X
};

#define X(...) +1
enum { WM_VARYING_FACT_ROWS = WM_VARYING_FACTS(X) };
#undef X

/* A row of the table. */
struct wm_varying_fact {
    const struct wm_fact *fact;
    size_t offset; /* in struct wm_validity */
    const char *one, *other;
};
extern const struct wm_varying_fact wm_varying_fact_rows[WM_VARYING_FACT_ROWS];

/* Read an answer's; a fact that it does not name may be any. False: what stands there is no range. */
bool wm_validity_read(struct wm_validity *validity, const json_t *answer);
/* Does it hold for this call? And for every call? */
bool wm_validity_holds(const struct wm_validity *validity, const struct wm_facts *facts);
bool wm_validity_is_any(const struct wm_validity *validity);
/* In words: "9 to 2048 bytes, this root alone". */
void wm_validity_describe(const struct wm_validity *validity, char *out, size_t out_bytes);

#endif
