/* Brief calls: blocking ones that come again as they were, while nothing else is under way on their communicator, and
 * whose plans are short (core/shared/short_plan.h) or whose paths are native. The former are published late
 * (core/guard/check.h); of the latter nobody is told. */
#ifndef WM_CALL_BRIEF_H
#define WM_CALL_BRIEF_H

#include "core/call/comm.h"

/* Run the call to its end, if it is one; false: nothing was done. `stamp`: as in wm_again_find_stamped, or NULL, where
 * the caller may be the one to call the library. *rc: what the MPI function returns, errors having been raised; or
 * WM_CALL_LEFT. Hold no lock. */
bool wm_brief_run(struct wm_comm *comm, const struct wm_call *call, uint64_t *stamp, int *rc);

#endif
