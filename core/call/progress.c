/* Progress: the callback out of the MPI library's own. */
#include "core/call/progress.h"

#include <stdatomic.h>
#include "core/node/progress_library.h"

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool started;
static int (*advance)(struct wm_comm *comm);

static _Atomic int in_flight; /* calls of the process */

/* Communicators that have, or had a moment ago, calls in flight. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_comm *list;

/* What we call in the library makes it call us back. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static bool is_done(struct wm_comm *c, int *completed)
{
    if (c->queue == NULL && c->in_flight == NULL)
        return true;
    *completed += advance(c);
    return c->queue == NULL && c->in_flight == NULL;
}

/* Communicators that others are busy with are theirs to progress. */
static int progress_list(void)
{
    struct wm_comm **link = &list;
    int completed = 0;

    while (*link != NULL) {
        struct wm_comm *c = *link;

        if (wm_comm_try(c)) {
            if (is_done(c, &completed) && *link == c) {
                *link = c->next_busy;
                c->is_busy = false;
                wm_comm_unlock(c);
                continue;
            }
            wm_comm_unlock(c);
        }
        link = &c->next_busy;
    }
    return completed;
}

static int progress(void)
{
    int completed;

    if (atomic_load_explicit(&in_flight, memory_order_relaxed) == 0)
        return 0;
    if (inside || pthread_mutex_trylock(&list_lock) != 0)
        return 0;
    inside = true;
    completed = progress_list();
    inside = false;
    pthread_mutex_unlock(&list_lock);
    return completed;
}

bool wm_progress_start(int (*advance_comm)(struct wm_comm *comm))
{
    if (atomic_load_explicit(&started, memory_order_acquire))
        return true;
    pthread_mutex_lock(&start_lock);
    advance = advance_comm;
    if (!started && wm_progress_possible() && wm_progress_library.start(progress) == 0)
        atomic_store_explicit(&started, true, memory_order_release);
    pthread_mutex_unlock(&start_lock);
    return started;
}

void wm_progress_stop(void)
{
    if (started)
        wm_progress_library.stop(progress);
    started = false;
}

void wm_progress_begun(struct wm_comm *c)
{
    atomic_fetch_add_explicit(&in_flight, 1, memory_order_relaxed);
    if (c->is_busy)
        return;
    c->is_busy = true;
    if (!inside)
        pthread_mutex_lock(&list_lock);
    c->next_busy = list;
    list = c;
    if (!inside)
        pthread_mutex_unlock(&list_lock);
}

void wm_progress_over(void)
{
    atomic_fetch_sub_explicit(&in_flight, 1, memory_order_relaxed);
}

void wm_progress_forget(struct wm_comm *c)
{
    if (!inside)
        pthread_mutex_lock(&list_lock);
    for (struct wm_comm **link = &list; *link != NULL; link = &(*link)->next_busy)
        if (*link == c) {
            *link = c->next_busy;
            break;
        }
    if (!inside)
        pthread_mutex_unlock(&list_lock);
}
