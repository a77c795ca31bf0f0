/* Verifying: verdicts heard and obeyed. */
#include "core/call/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "core/call/flaw.h"
#include "core/call/publish.h"
#include "core/guard/held.h"
#include "core/node/progress_library.h"
#include "core/node/rest.h"

/* The guard looks ten times a second, up to four times before it names a call; it may have no processor. Without a tick
 * so far it is about to start, or could not. */
enum { NAMING_MS = 5000, STARTING_MS = 2000, LOOK_MS = 10, SPEAK_MS = 200 };

/* After an error handler has returned the call has so many of the guard's ticks to end. */
enum { LEAVE_TICKS = 10 };

static uint64_t obeyed; /* the verdict; 0: none */

/* What was to end by then: the rank's blocking call, or the first in flight. */
static struct wait {
    const struct wm_comm *on; /* NULL: nothing */
    const struct wm_request *first;
    uint64_t doing; /* the page's; 0: it is not in a blocking call */
    uint64_t since; /* the guard's tick */
} waits;

static uint64_t verdict(void)
{
    return wm_published != NULL ? __atomic_load_n(&wm_published->verdict, __ATOMIC_ACQUIRE) : 0;
}

/* False: nobody does, or not in time. */
static bool await_verdict(void)
{
    const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};

    if (wm_published == NULL || wm_process.settings.guard != WM_GUARD_WATCH)
        return false;
    for (int ms = 0; verdict() == 0 && ms < (wm_published->tick > 0 ? NAMING_MS : STARTING_MS); ms += LOOK_MS)
        nanosleep(&pause, NULL);
    return verdict() != 0;
}

/* All ranks of the communicator come here: its first one speaks, before another's end is its own. */
static _Noreturn void end_job(bool speaks)
{
    const struct timespec turn = {.tv_nsec = SPEAK_MS * 1000000};

    if (!speaks)
        nanosleep(&turn, NULL);
    else
        fprintf(stderr, "waymark: rank %d ends the job for this; WAYMARK_MISMATCH=report lets it go on\n",
                wm_process.world_rank);
    wm_published->state = WM_PAGE_ENDING;
    PMPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static struct wm_comm *find_comm(uint64_t id)
{
    struct wm_comm *c = wm_process.comms;

    while (c != NULL && (c->shown == NULL || c->shown->id != id || c->user == MPI_COMM_NULL))
        c = c->next;
    return c;
}

/* Is the rank in a blocking call on the communicator, or does it wait for a message of it, or for a call? */
static bool is_in(const struct wm_comm *c)
{
    const struct wm_page_now *now = &wm_published->now;
    const struct wm_page_entry *newest = &wm_published->ring[(wm_published->ring_next - 1) % WM_PAGE_RING];
    bool any = false;

    if ((now->doing & 1) == 0)
        return false;
    if (now->function == WM_POST_NONE)
        return &wm_published->comms[newest->comm] == c->shown;
    for (uint32_t k = 0; k < wm_held_messages(now); k++) {
        const struct wm_page_message *m = wm_held_message(wm_published, now, k);

        any = any || (m != NULL && m->comm < WM_PAGE_COMMS && &wm_published->comms[m->comm] == c->shown);
    }
    return any;
}

/* A communicator's errors are its handler's; one that returns frees nobody who waits. */
static void obey(void)
{
    const struct wm_comm *c = find_comm(obeyed);

    if (c == NULL)
        return;
    if (wm_process.settings.mismatch == WM_MISMATCH_ABORT || wm_comm_errors_are_fatal(c))
        end_job(c->rank == 0);
    if (!is_in(c) && c->in_flight == NULL)
        return;
    waits = (struct wait){c, c->in_flight, is_in(c) ? wm_published->now.doing : 0, wm_published->tick};
}

/* It waits as it did. */
static bool is_stuck(void)
{
    const struct wm_comm *c = waits.on;

    if (c == NULL)
        return false;
    if (c->shown == NULL || (waits.doing != 0 ? wm_published->now.doing != waits.doing : c->in_flight != waits.first))
        waits.on = NULL;
    return waits.on != NULL && wm_published->tick > waits.since + LEAVE_TICKS;
}

/* Out of the library's progress, in whatever call. */
static int look(void)
{
    uint64_t now = verdict();

    if (__builtin_expect(now == obeyed && waits.on == NULL, 1))
        return 0;
    if (is_stuck())
        end_job(true);
    if (now == obeyed || (wm_process.threads && pthread_mutex_trylock(&wm_process.comms_lock) != 0))
        return 0;
    obeyed = now;
    obey();
    wm_process_unlock(&wm_process.comms_lock);
    return 0;
}

/* A rank whose call is not the one that a message is of. */
static bool differs(void)
{
    if (!await_verdict())
        fprintf(stderr,
                "waymark: rank %d is in another collective call than a rank that it hears of, and no guard names them; "
                "run it with 'waymark run --guard on -t DIR', and 'waymark doctor DIR' does\n",
                wm_process.world_rank);
    if (wm_process.settings.mismatch == WM_MISMATCH_ABORT)
        end_job(true);
    return wm_process.settings.mismatch != WM_MISMATCH_REPORT;
}

static void tell_what_is_not_seen(void)
{
    if (wm_verifies_full() && wm_process.threads && wm_process.world_rank == 0)
        fprintf(stderr,
                "waymark: under MPI_THREAD_MULTIPLE --verify full looks neither at buffers in flight nor at requests "
                "that leak; where one thread at a time calls MPI, initialise it with MPI_THREAD_SERIALIZED (mpi4py: "
                "MPI4PY_RC_THREAD_LEVEL=serialized)\n");
}

void wm_verify_start(void)
{
    if (wm_published == NULL || wm_process.settings.verify == WM_VERIFY_OFF)
        return;
    tell_what_is_not_seen();
    wm_flaws_start();
    wm_check_differs = differs;
    if (wm_process.settings.mismatch != WM_MISMATCH_REPORT && wm_progress_possible())
        wm_progress_library.start(look);
}

/* A rank that calls MPI_Abort while others are in the library's MPI_Finalize may leave Open MPI's launcher without an
 * end: PMIx 4.2.2 frees the barrier there twice. So nobody goes there before all are here, or somebody is dead. */
static void await_all(void)
{
    MPI_Request request;
    int come = 0;

    if (PMPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return;
    while (!come && __atomic_load_n(&wm_published->deaths, __ATOMIC_ACQUIRE) == 0 &&
           PMPI_Test(&request, &come, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        wm_node_rest();
}

void wm_verify_stop(void)
{
    if (wm_published == NULL || wm_process.settings.verify == WM_VERIFY_OFF ||
        wm_process.settings.mismatch == WM_MISMATCH_REPORT)
        return;
    __atomic_store_n(&wm_published->state, WM_PAGE_LEAVING, __ATOMIC_RELEASE);
    await_all();
    if (wm_progress_possible())
        wm_progress_library.stop(look);
}

void wm_verify_unlike(const char *function)
{
    struct wm_error error = {0};

    if (await_verdict())
        end_job(true);
    wm_error_set(&error, -WM_EMPI,
                 "the ranks of a communicator do not make the same call: this one is in %s, and rank 0 in another; "
                 "run it with 'waymark run --guard on -t DIR', and 'waymark doctor DIR' names both",
                 function);
    wm_process_abort(&error);
}

bool wm_verify_flawed(const struct wm_comm *comm)
{
    wm_flaws_await();
    if (wm_process.settings.mismatch == WM_MISMATCH_REPORT)
        return false;
    if (wm_process.settings.mismatch == WM_MISMATCH_ABORT || wm_comm_errors_are_fatal(comm))
        end_job(true);
    return true;
}
