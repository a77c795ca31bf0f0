/* Verifying: what becomes of calls that do not match, by WAYMARK_VERIFY and WAYMARK_MISMATCH.
 *
 * The guard names a mismatch on the job's standard error and then gives its verdict into the pages of the
 * communicator's ranks, each of which looks at its own from the MPI library's progress: so a rank leaves whatever it
 * waits in. With `each`, a call's chain (core/guard/page.h) goes along with what is sent for it: in the lines of shared
 * steps, before the first message of each pair, and in a barrier of ours before a call of the library's own. Who sees a
 * difference waits until the guard has named it. */
#ifndef WM_VERIFY_H
#define WM_VERIFY_H

#include "core/call/comm.h"
#include "core/guard/page.h"

/* Obey the guard's verdicts from here on, if the settings want that. The page has been made. */
void wm_verify_start(void);
/* No longer: before MPI_Finalize. */
void wm_verify_stop(void);

/* Fingerprints go with what is sent: the same on all ranks. */
static inline bool wm_verifies_each(void)
{
    return wm_process.settings.verify >= WM_VERIFY_EACH;
}

/* What calls give is looked at, too: of one call in so many. By the setting of all, else of those whose path says so.
 */
enum { WM_VERIFY_SAMPLE = 16 };
static inline bool wm_verifies_all_results(void)
{
    return wm_process.settings.verify >= WM_VERIFY_RESULTS;
}
static inline bool wm_verifies_results(void)
{
    return wm_verifies_all_results() || wm_process.verifies;
}

/* Buffers, counts between pairs of ranks, and what is never freed are looked at, too. */
static inline bool wm_verifies_full(void)
{
    return wm_process.settings.verify == WM_VERIFY_FULL;
}

/* The fingerprint of the newest call, and of all before it; 0: it is not published. */
static inline uint64_t wm_verify_print(const struct wm_comm *comm)
{
    return comm->shown != NULL ? comm->shown->chain : 0;
}

/* A blocking call begins: its shared steps are to tell its fingerprint. */
static inline void wm_verify_enter(struct wm_comm *comm)
{
    struct wm_check *check;

    if (!wm_verifies_each() || comm->end == NULL)
        return;
    check = &wm_engine_lanes(comm->end->engine)->check;
    *check = (struct wm_check){.print = wm_verify_print(comm), .stopped = check->stopped};
}

/* The result of the blocking call that comes next on the communicator is looked at. */
static inline bool wm_verify_is_sampled(const struct wm_comm *comm)
{
    return wm_verifies_full() || comm->verified % WM_VERIFY_SAMPLE == 0;
}

/* A blocking call is over. One that is sampled is not brief: it comes as if there were paths to be settled. */
static inline void wm_verify_count(struct wm_comm *comm)
{
    if (++comm->verified % WM_VERIFY_SAMPLE == 0)
        comm->unsettled = true;
}

/* It is over, with this result: returns the result, or MPI_ERR_OTHER, which has been raised, if its shared steps were
 * other ranks' other calls. */
static inline int wm_verify_end(struct wm_comm *comm, int rc)
{
    if (!wm_verifies_each())
        return rc;
    if (wm_verifies_results())
        wm_verify_count(comm);
    if (rc != MPI_SUCCESS || comm->end == NULL || !wm_engine_lanes(comm->end->engine)->check.differs)
        return rc;
    PMPI_Comm_call_errhandler(comm->user, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

/* This rank has heard that the others of its communicator are in another call than `function`, and cannot go on: end
 * the job, once the guard has named the calls, if there is one. */
_Noreturn void wm_verify_unlike(const char *function);

/* A flaw has been published of a call on the communicator (core/call/flaw.h): wait until the guard has named it. True:
 * the call is to fail, and its caller raises an error. Does not return where that ends the job. */
bool wm_verify_flawed(const struct wm_comm *comm);

#endif
