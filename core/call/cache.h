/* The caches of a communicator: paths by shared facts, plans beneath them by what is local. */
#ifndef WM_CACHE_H
#define WM_CACHE_H

#include "core/call/comm.h"

/* Forget all paths and plans. */
void wm_cache_clear(struct wm_comm *comm);

/* The path that serves the facts, or NULL. */
struct wm_path *wm_cache_path(struct wm_comm *comm, const struct wm_facts *facts);

/* Keep a path that was found for a blocking call, or for another; it is the cache's from now on. When there is no room
 * the least recently used goes, with its plans: the same on all ranks. Settled ones go for blocking calls alone. */
void wm_cache_keep(struct wm_comm *comm, struct wm_path *path, bool blocking);

/* Settle the paths that are there: all ranks have them, and from here on know so. For blocking calls, when the queue is
 * empty: the cache is then the same on all ranks. */
void wm_cache_settle(struct wm_comm *comm);

/* The settled path that serves the facts, or NULL; the same on all ranks when a call is made, whatever is queued. */
const struct wm_path *wm_cache_settled_path(const struct wm_comm *comm, const struct wm_facts *facts);

/* The plan made earlier for an equal call, or NULL. */
struct wm_kept_plan *wm_cache_plan(struct wm_comm *comm, const struct wm_path *path, const struct wm_plan_call *call);

/* Make a plan and keep it, unless the path has left the cache meanwhile. NULL, with the error filled, when it cannot be
 * made. */
struct wm_kept_plan *wm_cache_new_plan(struct wm_comm *comm, const struct wm_path *path,
                                       const struct wm_plan_call *call, struct wm_error *error);

/* Begin to use a plan of the cache: it lives until it is given back, though the cache may drop it. */
static inline void wm_kept_plan_take(struct wm_kept_plan *kept)
{
    kept->users++;
}

/* Give a plan back that was taken. */
void wm_kept_plan_give(struct wm_kept_plan *kept);

/* From here on no path is freed, though the cache may drop it. */
static inline void wm_cache_hold_paths(struct wm_comm *comm)
{
    comm->path_users++;
}

/* End what wm_cache_hold_paths began. */
void wm_cache_let_paths_go(struct wm_comm *comm);

#endif
