/* The caches of a communicator: paths by shared facts, plans beneath them by what is local. */
#ifndef WM_CACHE_H
#define WM_CACHE_H

#include "core/comm.h"

/* Forget all paths and plans. */
void wm_cache_clear(struct wm_comm *comm);
/* The path that serves the facts, or NULL. */
struct wm_path *wm_cache_path(struct wm_comm *comm, const struct wm_facts *facts);
/* Keep a path; the least recently used goes, with its plans, when there is no room. All ranks do alike. */
void wm_cache_keep(struct wm_comm *comm, struct wm_path *path);

#endif
