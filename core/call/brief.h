/* Brief calls: blocking ones that come again as they were, whose plans are short (core/shared/short_plan.h), while
 * nothing else is under way on their communicator. They are published late (core/guard/check.h). */
#ifndef WM_CALL_BRIEF_H
#define WM_CALL_BRIEF_H

#include "core/call/comm.h"

/* Run the call to its end, if it is one; false: nothing was done. `stamp`: as in wm_again_find_stamped, or NULL.
 * *rc: what the MPI function returns; errors have been raised. Hold no lock. */
bool wm_brief_run(struct wm_comm *comm, const struct wm_call *call, uint64_t *stamp, int *rc);

#endif
