/* Workers: the threads that run a schedule. */
#include <sched.h>
#include "core/subrank/schedule_state.h"

/* Where that is not allowed it runs where the kernel wants it. */
static void bind(const struct wm_worker *w)
{
    const int *processors = w->schedule->parts.processors;
    cpu_set_t set;

    if (processors == NULL)
        return;
    CPU_ZERO(&set);
    CPU_SET(processors[w->number], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *begin(void *with)
{
    bind(with);
    wm_worker_work(with);
    return NULL;
}

/* The first `count` of them have threads; the first one of all has this one. */
static void join(const struct wm_schedule *schedule, int count)
{
    for (int i = 1; i < count; i++)
        pthread_join(schedule->workers[i].thread, NULL);
}

static int start(struct wm_schedule *schedule, struct wm_error *error)
{
    int count = 1;

    wm_turnstile_take(&schedule->turnstile); /* they wait for the last of them */
    while (count < schedule->parts.workers &&
           pthread_create(&schedule->workers[count].thread, NULL, begin, &schedule->workers[count]) == 0)
        count++;
    schedule->over = count < schedule->parts.workers;
    wm_turnstile_give(&schedule->turnstile);
    if (!schedule->over)
        return 0;
    join(schedule, count);
    return wm_error_set(error, -WM_ENOMEM, "no threads for %d workers; run fewer, or raise the limit (ulimit -u)",
                        schedule->parts.workers);
}

int wm_workers_run(struct wm_schedule *schedule, struct wm_error *error)
{
    cpu_set_t before;
    bool known = pthread_getaffinity_np(pthread_self(), sizeof before, &before) == 0;
    int rc = start(schedule, error);

    if (rc < 0)
        return rc;
    begin(&schedule->workers[0]);
    join(schedule, schedule->parts.workers);
    if (known && schedule->parts.processors != NULL)
        pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    return 0;
}
