/* Built-in paths: by what collectives of subranks go where no map says otherwise. They are those of specs/subranks.scm,
 * which a test compares: a job without a map starts no map server. Pure. */
#ifndef WM_SUBRANK_BUILT_IN_H
#define WM_SUBRANK_BUILT_IN_H

#include "core/path/path.h"
#include "core/process/map_source.h"

/* The source that stands for them: no rules, and the grid. */
struct wm_map_source *wm_built_in_source(void);

/* Where all ranks share memory, data of at most so many bytes goes through it; 0: none does. More is copied once less
 * by messages. */
uint64_t wm_built_in_shared_bytes(enum wm_operation operation);

/* The path of an operation, through shared memory or in stages, the caller's. Ends the process where there is no memory
 * for it. */
struct wm_path *wm_built_in_path(enum wm_operation operation, bool shared, const struct wm_grid *grid);

#endif
