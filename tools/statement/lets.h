/* Lets, and the names that come from them. */
#ifndef WM_TOOLS_LETS_H
#define WM_TOOLS_LETS_H

#include "tools/statement/let.h"

/* Elements that an array has at most: 2^40, alike in all dimensions. */
enum { WM_AMPLE_BITS = 40 };

/* Of a rank, a name: to be changed. */
struct wm_bound *wm_names_binding(const struct wm_bound_names *names, int rank, int name);
/* Begin the next name, names->names[names->count]: its binding at every rank. 0 or -WM_EINVAL: there are too many. */
int wm_names_begin(struct wm_bound_names *names, const char *name, size_t bytes, enum wm_bound_kind kind,
                   int dimensions, struct wm_error *error);
/* Add the name of a let; `values` has room for one of each rank. 0, -WM_ENOMEM, -WM_EINVAL. */
int wm_names_let(struct wm_bound_names *names, const struct wm_let *let, union wm_scalar values[],
                 struct wm_error *error);

#endif
