/* Several calls of a path, proven at once: proofs are pure. */
#include <pthread.h>
#include <unistd.h>
#include "tools/check/check.h"
#include "tools/proof/allowance.h"

/* Where there are so many ranks a proof takes longer than a thread to begin, and memory: as enum WM_PROOF_STEPS_MAX. */
enum { THREADS_MAX = 4, RANKS_MIN = 512 };
static const size_t proof_bytes = (size_t)3 << 30;

struct calls {
    struct wm_check_trial *trials;
    int count, next;
    const struct wm_site *site;
    const struct wm_path *path;
    int orders;
    size_t bytes_max; /* of each */
};

static void *prove_calls(void *data)
{
    struct calls *c = data;

    for (int i; (i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->count;)
        c->trials[i].outcome =
            wm_check_call(&c->trials[i].figures, c->site, c->path, &c->trials[i].scenario, c->orders, c->bytes_max);
    return NULL;
}

static int count_threads(const struct calls *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), room = (long)(wm_allowance() / proof_bytes),
         count = cores < room ? cores : room;

    count = count < c->count ? count : c->count;
    return c->site->ranks < RANKS_MIN ? 1 : count < THREADS_MAX ? (int)count : THREADS_MAX;
}

void wm_check_calls(struct wm_check_trial *trials, int count, const struct wm_site *site, const struct wm_path *path,
                    int orders)
{
    struct calls c = {trials, count, 0, site, path, orders, 0};
    pthread_t threads[THREADS_MAX];
    int begun = 0, wanted = count_threads(&c) - 1;

    c.bytes_max = wm_allowance() / 4 * 3 / (wanted > 0 ? (size_t)wanted + 1 : 1);
    for (; begun < wanted; begun++)
        if (pthread_create(&threads[begun], NULL, prove_calls, &c) != 0)
            break;
    prove_calls(&c);
    while (begun > 0)
        pthread_join(threads[--begun], NULL);
}
