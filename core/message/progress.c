/* What is under way between processes goes on in the MPI library's own progress, and so in every wait of this one. */
#include <pthread.h>
#include "core/message/far.h"
#include "core/node/progress_library.h"

/* Groups that span processes. The lock keeps other threads out, and what the library would do beneath a drain. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wm_endpoints *groups;

bool wm_far_may_drain(const struct wm_endpoints *group)
{
    const struct wm_far *far = group->far;

    return far == NULL ||
           (!far->wire.in_mpi && (group->shared || !far->threads || pthread_equal(far->thread, pthread_self())));
}

static bool drain(struct wm_endpoints *group)
{
    bool moved;

    if (pthread_mutex_trylock(&group->lock) != 0)
        return false;
    moved = wm_far_may_drain(group) && wm_endpoints_drain(group);
    pthread_mutex_unlock(&group->lock);
    return moved;
}

static int progress(void)
{
    int moved = 0;

    if (pthread_mutex_trylock(&lock) != 0)
        return 0;
    for (struct wm_endpoints *group = groups; group != NULL; group = group->far->next)
        moved += drain(group);
    pthread_mutex_unlock(&lock);
    return moved;
}

void wm_far_begin_progress(struct wm_endpoints *group)
{
    struct wm_far *far = group->far;
    int threads;

    PMPI_Query_thread(&threads);
    far->threads = threads == MPI_THREAD_MULTIPLE;
    far->thread = pthread_self();
    pthread_mutex_lock(&lock);
    far->next = groups;
    groups = group;
    pthread_mutex_unlock(&lock);
    if (far->next == NULL && wm_progress_possible())
        wm_progress_library.start(progress);
}

void wm_far_end_progress(struct wm_endpoints *group)
{
    struct wm_endpoints **link = &groups;

    pthread_mutex_lock(&lock);
    while (*link != group)
        link = &(*link)->far->next;
    *link = group->far->next;
    pthread_mutex_unlock(&lock);
    if (groups == NULL && wm_progress_possible())
        wm_progress_library.stop(progress);
}
