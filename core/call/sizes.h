/* Sizes: what ranks must tell each other before a plan can be made. A flight of its own, before the call's.
 *
 * In a gatherv, scatterv, alltoallv or alltoallw a rank knows its own counts alone. A path in which every message goes
 * straight from its origin to its destination needs no more. Any other needs the counts of what passes through: the
 * root of a gatherv or scatterv broadcasts its own; in an alltoall(v, w) the counts go ahead on the same path. All
 * ranks decide alike, by the path alone. */
#ifndef WM_SIZES_H
#define WM_SIZES_H

#include "core/call/describe.h"

struct wm_sizes;

/* Must sizes be exchanged before a plan of `path` can be made? */
bool wm_sizes_needed(const struct wm_path *path);

/* Begin: *plan, which stays with *sizes, is to be flown with *binding (the caller fills in call, sequence and number).
 * Returns 0 or -WM_EPATH. */
int wm_sizes_begin(struct wm_sizes **sizes, struct wm_comm *comm, struct wm_path *path,
                   const struct wm_described *described, const struct wm_plan **plan, struct wm_binding *binding,
                   struct wm_error *error);
/* The flight is over, but not yet given back: put what it brought into the plan call. */
void wm_sizes_learn(struct wm_sizes *sizes, const struct wm_flight *flight, struct wm_described *described);
void wm_sizes_free(struct wm_sizes *sizes);

#endif
