/* The cache of a communicator: paths by shared facts. Plans beneath them: core/call/plans.h. */
#ifndef WM_CACHE_H
#define WM_CACHE_H

#include "core/call/comm.h"

/* Forget all paths, and the last calls. */
void wm_cache_clear(struct wm_comm *comm);

/* The path that serves the facts, or NULL. */
struct wm_path *wm_cache_path(struct wm_comm *comm, const struct wm_facts *facts);

/* Keep a path that was found for a blocking call, or for another; the cache is its user from now on. When there is no
 * room the least recently used goes: the same on all ranks. Settled ones go for blocking calls alone. Returns it, or an
 * equal one that its kin know. */
struct wm_path *wm_cache_keep(struct wm_comm *comm, struct wm_path *path, bool blocking);

/* Begin with the paths that the kin know at this rank. Returns the hash of the set. Where another rank has another set,
 * the cache is to be cleared before it is asked. */
uint64_t wm_cache_inherit(struct wm_comm *comm);

/* Where a path stands in the cache, or -1. */
int wm_cache_place(const struct wm_comm *comm, const struct wm_path *path);

/* Settle the paths that are there: all ranks have them, and from here on know so. For blocking calls, when the queue is
 * empty: the cache is then the same on all ranks. */
void wm_cache_settle(struct wm_comm *comm);

/* The settled path that serves the facts, or NULL; the same on all ranks when a call is made, whatever is queued. */
const struct wm_path *wm_cache_settled_path(const struct wm_comm *comm, const struct wm_facts *facts);

/* Forget the last call of an operation. */
void wm_last_call_forget(struct wm_last_call *last);

#endif
