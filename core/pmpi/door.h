/* What the doors share: how they are exported, and the guard against being entered twice. */
#ifndef WM_PMPI_DOOR_H
#define WM_PMPI_DOOR_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "core/data/persistent_library.h"
#include "core/guard/post.h"
#include "waymark/call.h"
#include "waymark/runtime.h"

#if WM_PERSISTENT_LIBRARY
#define DOOR_INIT(native) native
#else
#define DOOR_INIT(native) NULL
#endif

/* The project is compiled with hidden visibility; a door is exported, to be found before MPI's function. */
#define DOOR __attribute__((visibility("default")))

/* Set while a collective of this thread is inside the runtime: a collective that the MPI library or a
 * callback makes meanwhile goes straight to PMPI. The preloaded library's thread-local storage is there
 * before any thread is, so the initial-exec model, a single load, is safe.
 *
 * Makers and leavers have no guard: an attribute's delete function may free communicators of its own within
 * MPI_Comm_free, and those need their records freed like any other. */
static __thread bool door_is_passing __attribute__((tls_model("initial-exec"), unused));

/* Where the Fortran program goes on that called the door which called this one; NULL: C did. */
extern __thread const void *wm_door_site __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Where the program's code goes on behind the door that calls this. */
#define DOOR_SITE() (wm_door_site != NULL ? wm_door_site : __builtin_return_address(0))

/* The guard or the trace is told of point-to-point calls. */
static inline bool door_watches(void)
{
    return __builtin_expect(atomic_load_explicit(&wm_watched, memory_order_relaxed), false);
}

static inline void door_cancel(const MPI_Request *request)
{
    if (door_watches() && request != NULL)
        wm_watch_forget(*request, true);
}

static inline struct wm_comm *door_enter(MPI_Comm comm, enum wm_operation operation)
{
    return door_is_passing ? NULL : wm_comm_enter(comm, operation);
}

static inline int door_run(struct wm_comm *comm, const struct wm_call *call)
{
    int rc;

    door_is_passing = true;
    rc = wm_call_run(comm, call);
    door_is_passing = false;
    return rc;
}

/* These two make requests; what such a request does later, within some other call's progress, is done by PMPI alone. */
static inline int door_begin(struct wm_comm *comm, const struct wm_call *call, MPI_Request *request)
{
    int rc;

    door_is_passing = true;
    rc = wm_call_begin(comm, call, request);
    door_is_passing = false;
    if (door_watches() && rc == MPI_SUCCESS)
        wm_watch_began(call, *request);
    return rc;
}

static inline int door_init(struct wm_comm *comm, const struct wm_call *call, MPI_Request *request)
{
    int rc;

    door_is_passing = true;
    rc = wm_call_init(comm, call, request);
    door_is_passing = false;
    return rc;
}

/* True when the runtime knows the request, and *rc is what to return. No pointer at all is MPI's to complain of. */
static inline bool door_start(MPI_Request *request, int *rc)
{
    bool ours;

    if (door_is_passing || request == NULL)
        return false;
    door_is_passing = true;
    ours = wm_request_start(request, rc);
    door_is_passing = false;
    if (!ours && door_watches())
        wm_watch_start(*request);
    return ours;
}

static inline bool door_free(MPI_Request *request, int *rc)
{
    if (door_watches() && request != NULL)
        wm_watch_forget(*request, false);
    return request != NULL && wm_request_free(request, rc);
}

/* Which requests are complete: all of them, or those listed; `base` is the first index. Statuses: of those; NULL: none
 * that C can read. */
struct door_done {
    int rc;
    bool all;
    int count;
    const int *indices;
    int base;
    const MPI_Status *statuses;
};

static inline void door_watch_requests(struct wm_awaited *watch, int function, int count, const void *site)
{
    watch->function = function;
    watch->site = site;
    watch->count = wm_watch_publishes && count > 0 ? count : 0;
    watch->published = false;
    watch->requests = watch->few;
    if (watch->count > WM_WATCH_FEW)
        wm_watch_make_room(watch);
}

static inline const MPI_Status *door_status(const struct door_done *done, int index)
{
    if (done->rc != MPI_SUCCESS || done->statuses == NULL || done->statuses == MPI_STATUS_IGNORE ||
        done->statuses == MPI_STATUSES_IGNORE)
        return NULL;
    for (int i = 0; !done->all && i < done->count; i++)
        if (done->indices[i] - done->base == index)
            return &done->statuses[i];
    return done->all ? &done->statuses[index] : NULL;
}

/* True when the trace or the guard follows one of the requests, which door_waited then settles. `at`: the request in a
 * place. No pointer is MPI's to complain of. */
static inline bool door_follows(struct wm_waiting *waiting, struct wm_awaited *watch, int function, int count,
                                const void *site, MPI_Request (*at)(const void *requests, int index),
                                const void *requests)
{
    bool watches = atomic_load_explicit(&wm_watched, memory_order_relaxed);
    bool traced = atomic_load_explicit(&wm_waiting_count, memory_order_relaxed) > (int)watches;

    if (requests == NULL)
        return false;
    waiting->found = NULL;
    watch->count = 0;
    if (watches)
        door_watch_requests(watch, function, count, site);
    for (int i = 0; i < count; i++) {
        if (traced)
            wm_waiting_look(waiting, i, at(requests, i));
        if (i < watch->count)
            watch->requests[i] = at(requests, i);
    }
    if (watches && function < WM_POST_TEST)
        wm_watch_wait(watch);
    return (waiting->found != NULL && wm_waiting_begin(waiting)) || watch->count > 0;
}

static inline void door_settle(struct wm_awaited *watch, MPI_Request (*at)(const void *requests, int index),
                               const void *requests, const struct door_done *done)
{
    bool failed = done->rc != MPI_SUCCESS;

    if (watch->published)
        wm_watch_waited();
    for (int i = 0; i < watch->count; i++) {
        MPI_Request now = at(requests, i);

        if (now != watch->requests[i] || done->all || failed)
            wm_watch_settle(watch, i, now, done->all, failed);
    }
    for (int i = 0; !failed && i < done->count; i++) {
        int index = done->indices[i] - done->base;

        if (index >= 0 && index < watch->count)
            wm_watch_settle(watch, index, at(requests, index), true, false);
    }
    if (watch->requests != watch->few)
        wm_watch_release(watch);
}

static inline void door_waited(struct wm_waiting *waiting, struct wm_awaited *watch,
                               MPI_Request (*at)(const void *requests, int index), const void *requests,
                               const struct door_done *done)
{
    int index;

    if (watch->count > 0)
        door_settle(watch, at, requests, done);
    if (waiting->found == NULL)
        return;
    wm_waiting_end(waiting);
    while ((index = wm_waiting_index(waiting)) >= 0)
        wm_waiting_settle(waiting, at(requests, index), door_status(done, index));
}

static inline bool door_waits(void)
{
    return __builtin_expect(atomic_load_explicit(&wm_waiting_count, memory_order_relaxed) > 0, false);
}

static inline MPI_Request door_request_at(const void *requests, int index)
{
    return ((const MPI_Request *)requests)[index];
}

static inline int door_first_error(int first, int later)
{
    return first != MPI_SUCCESS ? first : later;
}

/* The runtime's requests one by one, and those between them by MPI. All, whichever fails: others may wait for them. */
static inline int door_startall(int count, MPI_Request requests[])
{
    int first = 0; /* of those that MPI is still to start */
    int error = MPI_SUCCESS, rc;

    for (int i = 0; requests != NULL && i < count; i++) {
        if (!door_start(&requests[i], &rc))
            continue;
        error = door_first_error(error, rc);
        if (first < i)
            error = door_first_error(error, PMPI_Startall(i - first, requests + first));
        first = i + 1;
    }
    return first > 0 && first == count ? error
                                       : door_first_error(error, PMPI_Startall(count - first, requests + first));
}

#endif
