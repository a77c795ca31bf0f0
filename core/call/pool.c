/* The pool of endpoints whose communicators are gone. */
#include "core/call/pool.h"

#include "core/call/endpoint.h"
#include "core/node/memory.h"

enum { ENDPOINTS = 8 };

/* The oldest first; under the communicators' lock. */
static struct wm_endpoint pool[ENDPOINTS];
static int count;

/* Where memory is short, communicators that live need it more. */
static bool is_fit(const struct wm_endpoint *e)
{
    return e->engine != NULL && wm_engine_is_sound(e->engine) && wm_memory_is_roomy() && !wm_process_watches();
}

static struct wm_endpoint take(int place)
{
    struct wm_endpoint e = pool[place];

    count--;
    for (int i = place; i < count; i++)
        pool[i] = pool[i + 1];
    return e;
}

void wm_pool_keep(struct wm_endpoint *gone)
{
    struct wm_endpoint oldest = {0};

    if (!is_fit(gone))
        return;
    pthread_mutex_lock(&wm_process.comms_lock);
    if (count == ENDPOINTS)
        oldest = take(0);
    pool[count++] = *gone;
    pthread_mutex_unlock(&wm_process.comms_lock);
    *gone = (struct wm_endpoint){0};
    wm_endpoint_release(&oldest);
}

bool wm_pool_take(const struct wm_kin *kin, struct wm_endpoint *found)
{
    int place = -1;

    pthread_mutex_lock(&wm_process.comms_lock);
    for (int i = 0; i < count; i++)
        if (pool[i].kin == kin && (place < 0 || pool[i].token < pool[place].token))
            place = i;
    if (place >= 0)
        *found = take(place);
    pthread_mutex_unlock(&wm_process.comms_lock);
    return place >= 0;
}

bool wm_pool_empty(struct wm_endpoint *any)
{
    bool found;

    pthread_mutex_lock(&wm_process.comms_lock);
    if ((found = count > 0))
        *any = take(count - 1);
    pthread_mutex_unlock(&wm_process.comms_lock);
    return found;
}
