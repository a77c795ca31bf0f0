/* Ranks that die: heard of, and their communicators stopped. */
#include "core/call/dead.h"

#include "core/call/publish.h"
#include "core/node/progress_library.h"

static uint64_t heard; /* the page's count */
static int code = MPI_ERR_OTHER;

static bool listens(void)
{
    return wm_published != NULL && wm_process.settings.guard == WM_GUARD_WATCH && wm_progress_possible();
}

static void stop(struct wm_comm *c)
{
    if (c->stopped != 0 || c->user == MPI_COMM_NULL || wm_comm_errors_are_fatal(c))
        return;
    c->stopped = code;
    if (c->end != NULL)
        __atomic_store_n(&wm_engine_lanes(c->end->engine)->check.stopped, code, __ATOMIC_RELAXED);
}

/* Out of the library's progress, in whatever call. */
static int look(void)
{
    uint64_t now = __atomic_load_n(&wm_published->deaths, __ATOMIC_ACQUIRE);

    if (__builtin_expect(now == heard, 1) || (wm_process.threads && pthread_mutex_trylock(&wm_process.comms_lock) != 0))
        return 0;
    heard = now;
    for (struct wm_comm *c = wm_process.comms; c != NULL; c = c->next)
        if (c->shown != NULL && c->shown->dead != 0)
            stop(c);
    wm_process_unlock(&wm_process.comms_lock);
    return 0;
}

/* The class is the nearest one that the library has. */
void wm_dead_start(void)
{
    int own;

    if (!listens())
        return;
    if (PMPI_Add_error_code(MPI_ERR_OTHER, &own) == MPI_SUCCESS &&
        PMPI_Add_error_string(own, "a rank of the communicator is dead") == MPI_SUCCESS)
        code = own;
    wm_progress_library.start(look);
}

void wm_dead_stop(void)
{
    if (listens())
        wm_progress_library.stop(look);
}

/* From here on no call of it is brief. */
int wm_dead_fail(struct wm_comm *c, int rc)
{
    wm_comm_lock(c);
    stop(c);
    c->unsettled = c->unsettled || c->stopped != 0;
    wm_comm_unlock(c);
    if (c->stopped == 0 || rc != MPI_SUCCESS)
        return rc;
    PMPI_Comm_call_errhandler(c->user, c->stopped);
    return c->stopped;
}
