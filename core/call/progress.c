/* Progress: the callback out of the MPI library's own. */
#include "core/call/progress.h"

#include <stdatomic.h>
#include "core/node/progress_library.h"
#include "core/call/request.h"

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool started;

static _Atomic int aloft; /* calls of the process */

/* Communicators that have, or had a moment ago, calls aloft. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_comm *list;

/* What we call in the library makes it call us back. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static bool has_landed(struct wm_comm *c, int *completed)
{
    if (c->queue == NULL && c->aloft == NULL)
        return true;
    *completed += wm_requests_advance(c);
    return c->queue == NULL && c->aloft == NULL;
}

/* Communicators that others are busy with are theirs to progress. */
static int progress_list(void)
{
    struct wm_comm **link = &list;
    int completed = 0;

    while (*link != NULL) {
        struct wm_comm *c = *link;

        if (wm_comm_try(c)) {
            if (has_landed(c, &completed) && *link == c) {
                *link = c->next_aloft;
                c->is_aloft = false;
                wm_comm_unlock(c);
                continue;
            }
            wm_comm_unlock(c);
        }
        link = &c->next_aloft;
    }
    return completed;
}

static int progress(void)
{
    int completed;

    if (atomic_load_explicit(&aloft, memory_order_relaxed) == 0)
        return 0;
    if (inside || pthread_mutex_trylock(&list_lock) != 0)
        return 0;
    inside = true;
    completed = progress_list();
    inside = false;
    pthread_mutex_unlock(&list_lock);
    return completed;
}

bool wm_progress_start(void)
{
    if (atomic_load_explicit(&started, memory_order_acquire))
        return true;
    pthread_mutex_lock(&start_lock);
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

void wm_progress_aloft(struct wm_comm *c)
{
    atomic_fetch_add_explicit(&aloft, 1, memory_order_relaxed);
    if (c->is_aloft)
        return;
    c->is_aloft = true;
    if (!inside)
        pthread_mutex_lock(&list_lock);
    c->next_aloft = list;
    list = c;
    if (!inside)
        pthread_mutex_unlock(&list_lock);
}

void wm_progress_landed(void)
{
    atomic_fetch_sub_explicit(&aloft, 1, memory_order_relaxed);
}

void wm_progress_forget(struct wm_comm *c)
{
    if (!inside)
        pthread_mutex_lock(&list_lock);
    for (struct wm_comm **link = &list; *link != NULL; link = &(*link)->next_aloft)
        if (*link == c) {
            *link = c->next_aloft;
            break;
        }
    if (!inside)
        pthread_mutex_unlock(&list_lock);
}
