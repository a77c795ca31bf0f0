/* Ranks that die: what becomes of calls on their communicators.
 *
 * The guard that watches tells it in the pages of the ranks of its node: first by each communicator, then by a count,
 * after which they look, out of the MPI library's progress. Where the communicator's errors are not fatal it is
 * stopped: our own waits end, calls that are in flight and all that come fail, of class MPI_ERR_OTHER, and no lane,
 * ring or message of it is touched any more. A call fails, too, that has its data, perhaps from a rank that did not
 * wait. Other communicators go on. */
#ifndef WM_DEAD_H
#define WM_DEAD_H

#include "core/call/comm.h"
#include "core/guard/page.h"

/* Look from here on, if there is a guard that watches. The page has been made. */
void wm_dead_start(void);
/* No longer: before MPI_Finalize. */
void wm_dead_stop(void);

/* A communicator one of whose ranks is dead: returns the call's result, or the error, which has been raised. */
int wm_dead_fail(struct wm_comm *comm, int rc);

/* A blocking call is over, with this result. Hold no lock. */
static inline int wm_dead_end(struct wm_comm *comm, int rc)
{
    if (__builtin_expect(comm->shown != NULL && comm->shown->dead != 0, 0))
        return wm_dead_fail(comm, rc);
    return rc;
}

#endif
