/* The program's own messages: their records, and the requests that stand for them. */
#include "core/record/own_message.h"

#include <pthread.h>
#include <stdlib.h>
#include "core/record/control.h"
#include "core/record/waiting.h"

/* Each that is persistent, whether it is listed or not. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_waited *lasting;

static _Atomic uint32_t numbers;

bool wm_own_message_is_wanted(void)
{
    return wm_process.recordings != NULL && wm_recorder_wants(wm_process_ring(), WM_TRACE_P2P_POST);
}

void wm_own_message_post(struct wm_own_message *m, uint64_t ticks)
{
    while ((m->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1) == 0)
        ;
    wm_record_at(wm_process_ring(), ticks, WM_TRACE_P2P_POST, m->flags, 0, m->communicator, m->peer, (uint32_t)m->tag,
                 WM_TRACE_EDGE(m->number, m->bytes));
}

void wm_own_message_done(const struct wm_own_message *m, uint64_t ticks, const MPI_Status *status)
{
    const uint64_t most = (UINT64_C(1) << 40) - 1;
    bool told = status != NULL && (m->flags & (WM_TRACE_P2P_RECEIVE | WM_TRACE_P2P_PROBE)) != 0;

    wm_record(wm_process_ring(), WM_TRACE_P2P_DONE, m->flags, 0, m->communicator, told ? status->MPI_SOURCE : m->peer,
              (uint32_t)(told ? status->MPI_TAG : m->tag), WM_TRACE_EDGE(m->number, ticks < most ? ticks : most));
}

void wm_own_message_follow(const struct wm_own_message *m, MPI_Request request, bool persistent)
{
    struct wm_waited *w = calloc(1, sizeof *w);

    if (w == NULL)
        return;
    w->own = *m;
    w->persistent = w->library = persistent;
    if (!persistent) {
        wm_waited_list(w, request);
        return;
    }
    w->handle = request;
    pthread_mutex_lock(&lock);
    w->next_lasting = lasting;
    lasting = w;
    pthread_mutex_unlock(&lock);
}

/* Hold the lock. */
static struct wm_waited **find_lasting(MPI_Request request)
{
    struct wm_waited **link = &lasting;

    while (*link != NULL && (*link)->handle != request)
        link = &(*link)->next_lasting;
    return link;
}

void wm_own_message_start(MPI_Request request)
{
    struct wm_waited *w;

    pthread_mutex_lock(&lock);
    w = *find_lasting(request);
    pthread_mutex_unlock(&lock);
    if (w == NULL)
        return;
    wm_waited_forget(request); /* completed behind our back */
    if (!wm_own_message_is_wanted())
        return;
    wm_own_message_post(&w->own, wm_recorder_now(wm_process_ring()));
    wm_waited_list(w, request);
}

void wm_own_message_forget(MPI_Request request, bool cancelled)
{
    struct wm_waited **link, *w;

    wm_waited_forget(request);
    if (cancelled)
        return;
    pthread_mutex_lock(&lock);
    link = find_lasting(request);
    if ((w = *link) != NULL)
        *link = w->next_lasting;
    pthread_mutex_unlock(&lock);
    wm_waited_free(w);
}
