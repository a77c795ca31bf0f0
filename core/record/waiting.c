/* Waiting: the table of requests that the program will wait for, and what the doors of completion calls tell of them.
 */
#include "core/record/waiting.h"

#include <stdlib.h>
#include "core/record/control.h"
#include "waymark/runtime.h"

enum { BUCKETS = 256 };

_Atomic int wm_waiting_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_waited *table[BUCKETS];

static struct wm_waited **bucket(MPI_Request handle)
{
    return &table[((uintptr_t)handle >> 6) % BUCKETS];
}

/* One that no door has found. Hold the lock. */
static struct wm_waited **find(MPI_Request handle)
{
    struct wm_waited **link = bucket(handle);

    while (*link != NULL && ((*link)->handle != handle || (*link)->claimed))
        link = &(*link)->next;
    return link;
}

static struct wm_waited *take(struct wm_waited **link)
{
    struct wm_waited *w = *link;

    *link = w->next;
    w->listed = w->claimed = false;
    atomic_fetch_sub_explicit(&wm_waiting_count, 1, memory_order_relaxed);
    return w;
}

static void take_out(struct wm_waited *w)
{
    pthread_mutex_lock(&lock);
    if (w->listed) {
        struct wm_waited **link = bucket(w->handle);

        while (*link != w)
            link = &(*link)->next;
        take(link);
    }
    pthread_mutex_unlock(&lock);
}

struct wm_waited *wm_waited_new(uint64_t kinds)
{
    return wm_kinds_have(kinds, WM_TRACE_WAIT) ? calloc(1, sizeof(struct wm_waited)) : NULL;
}

void wm_waited_free(struct wm_waited *w)
{
    if (w != NULL)
        take_out(w);
    free(w);
}

static void retire(struct wm_waited *w)
{
    if (w->leaves)
        wm_record_region_leave(&w->region);
    w->leaves = false;
    if (!w->persistent)
        free(w);
}

void wm_waited_list(struct wm_waited *w, MPI_Request handle)
{
    struct wm_waited **link, *old = NULL;

    pthread_mutex_lock(&lock);
    link = find(handle);
    if (*link != NULL)
        old = take(link);
    w->handle = handle;
    w->listed = true;
    w->ticks = 0;
    w->next = *bucket(handle);
    *bucket(handle) = w;
    atomic_fetch_add_explicit(&wm_waiting_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    if (old != NULL && old != w)
        retire(old);
}

void wm_waited_forget(MPI_Request handle)
{
    struct wm_waited **link, *w = NULL;

    if (atomic_load_explicit(&wm_waiting_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    link = find(handle);
    if (*link != NULL)
        w = take(link);
    pthread_mutex_unlock(&lock);
    if (w != NULL)
        retire(w);
}

/* --- What the doors call --- */

void wm_waiting_look(struct wm_waiting *waiting, int index, MPI_Request handle)
{
    struct wm_waited *w;

    pthread_mutex_lock(&lock);
    if ((w = *find(handle)) != NULL)
        w->claimed = true;
    pthread_mutex_unlock(&lock);
    if (w == NULL)
        return;
    w->index = index;
    w->next_found = waiting->found;
    waiting->found = w;
}

bool wm_waiting_begin(struct wm_waiting *waiting)
{
    if (waiting->found == NULL || wm_process.recordings == NULL)
        return false;
    waiting->ticks = wm_recorder_now(wm_process_ring());
    return true;
}

void wm_waiting_end(struct wm_waiting *waiting)
{
    waiting->ticks = wm_recorder_now(wm_process_ring()) - waiting->ticks;
}

int wm_waiting_index(const struct wm_waiting *waiting)
{
    return waiting->found != NULL ? waiting->found->index : -1;
}

static void let_go(struct wm_waited *w)
{
    pthread_mutex_lock(&lock);
    w->claimed = false;
    pthread_mutex_unlock(&lock);
}

/* The handle of a persistent request stays. */
static bool is_over(const struct wm_waited *w, MPI_Request handle)
{
    int over = 0;

    if (handle == MPI_REQUEST_NULL || !w->persistent)
        return handle == MPI_REQUEST_NULL;
    if (!w->library)
        return atomic_load_explicit(&w->resting, memory_order_acquire);
    PMPI_Request_get_status(handle, &over, MPI_STATUS_IGNORE);
    return over != 0;
}

void wm_waiting_settle(struct wm_waiting *waiting, MPI_Request handle, const MPI_Status *status)
{
    struct wm_waited *w = waiting->found;

    waiting->found = w->next_found;
    w->ticks += waiting->ticks;
    if (!is_over(w, handle)) {
        let_go(w);
        return;
    }
    take_out(w);
    if (w->leaves)
        wm_record_region_leave(&w->region);
    w->leaves = false;
    if (w->own.number > 0)
        wm_own_message_done(&w->own, w->ticks, status);
    else
        wm_record_region_wait(&w->region, w->ticks);
    retire(w);
}
