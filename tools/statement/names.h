/* Names: what those of a statement stand for at each rank of a communicator that one need not have.
 *
 * A name comes from a let, `n=4`, `T=[3,2,1,0]`, `right=(me+1)%ranks`, `A[8]`, or is declared by itself, from how the
 * statement uses it. A name is **known** if it has values; they are kept for each rank, and may differ. One that is not
 * known is a place that data is sent from or stored into, and nothing is kept of it but its extents. */
#ifndef WM_TOOLS_NAMES_H
#define WM_TOOLS_NAMES_H

#include "core/statement/statement.h"

enum { WM_NAME_CHARS = 64 };

struct wm_bound_name {
    char name[WM_NAME_CHARS];
    bool known;
    bool declared; /* by itself */
    bool uniform;  /* known, and alike at all ranks */
};

struct wm_bound_names {
    int ranks, count;
    struct wm_bound_name names[WM_BINDINGS_MAX];
    struct wm_bound *bindings; /* of rank r: `count` of them from r * WM_BINDINGS_MAX on */
};

/* A name as the statement uses it. */
struct wm_declaration {
    const char *name; /* in the text, not terminated */
    size_t bytes;
    bool is_operator; /* of two of what it combines; else it is a double, or an array of doubles */
    int dimensions;
    int storage; /* the name that an operator combines into; -1: one that is declared by itself */
};

struct wm_declarations {
    int count;
    struct wm_declaration list[WM_BINDINGS_MAX];
};

/* Find what the statement uses and none of the `count` names is. 0, -WM_ENOMEM, -WM_EINVAL: a name is used as a number
 * whose value only a let can say. */
int wm_declarations_find(struct wm_declarations *found, const char *text, const struct wm_bound_name names[], int count,
                         struct wm_error *error);

/* Read the lets in their order, each with those before it, at each of `ranks` ranks, and declare what else the
 * statement uses. 0, -WM_ENOMEM, -WM_EINVAL; release in any case. */
int wm_names_init(struct wm_bound_names *names, const char *text, const char *const lets[], int let_count, int ranks,
                  struct wm_error *error);
void wm_names_release(struct wm_bound_names *names);

/* Of rank r, as core/statement wants them. */
const struct wm_bound *wm_names_bindings(const struct wm_bound_names *names, int rank);

/* Compile the statement. -WM_EINVAL as well where who sends what to whom depends on a name that is not known. */
int wm_names_compile(const struct wm_bound_names *names, const char *text, struct wm_statement **statement,
                     struct wm_error *error);

/* Take a name's values for promised to be stable. -WM_EINVAL: there is no such name. */
int wm_names_promise(struct wm_bound_names *names, const char *name, struct wm_error *error);

/* The bindings whose values are known, as bits. */
uint64_t wm_names_known(const struct wm_bound_names *names);

/* Say at which rank a fault is. Returns the error's code. */
int wm_names_fault(struct wm_error *error, int rank, int ranks);

#endif
