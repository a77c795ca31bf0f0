/* The pool of endpoints that no communicator has. */
#include "core/call/pool.h"

#include "core/call/endpoint.h"
#include "core/call/kin.h"
#include "core/node/memory.h"

enum { HEAVY_MAX = 8, LIGHT_MAX = 2 * WM_SEEDS_MAX };

/* In the order in which they came. */
struct shelf {
    struct wm_endpoint *oldest, *newest;
    int count, most;
};

/* Under the communicators' lock. */
static struct shelf heavy = {.most = HEAVY_MAX}, light = {.most = LIGHT_MAX};

static struct shelf *shelf_of(const struct wm_endpoint *e)
{
    return e->heavy ? &heavy : &light;
}

static void put(struct shelf *shelf, struct wm_endpoint *e)
{
    struct wm_endpoint **link = &e->kin->idle;

    while (*link != NULL && (*link)->token < e->token)
        link = &(*link)->next;
    e->next = *link;
    *link = e;
    e->older = shelf->newest;
    e->newer = NULL;
    *(shelf->newest != NULL ? &shelf->newest->newer : &shelf->oldest) = e;
    shelf->newest = e;
    shelf->count++;
}

static struct wm_endpoint *take(struct wm_endpoint *e)
{
    struct wm_endpoint **link = &e->kin->idle;
    struct shelf *shelf = shelf_of(e);

    while (*link != e)
        link = &(*link)->next;
    *link = e->next;
    *(e->older != NULL ? &e->older->newer : &shelf->oldest) = e->newer;
    *(e->newer != NULL ? &e->newer->older : &shelf->newest) = e->older;
    shelf->count--;
    e->next = e->older = e->newer = NULL;
    return e;
}

static void keep(struct wm_endpoint *e)
{
    struct shelf *shelf = shelf_of(e);
    struct wm_endpoint *oldest = NULL;

    wm_process_lock(&wm_process.comms_lock);
    if (shelf->count == shelf->most)
        oldest = take(shelf->oldest);
    put(shelf, e);
    wm_process_unlock(&wm_process.comms_lock);
    wm_endpoint_free(oldest);
}

/* Where memory is short, communicators that live need it more. */
static bool is_fit(const struct wm_endpoint *e)
{
    return wm_engine_is_sound(e->engine) && wm_memory_is_roomy() && !wm_process_watches();
}

void wm_pool_keep(struct wm_endpoint *gone)
{
    if (is_fit(gone))
        keep(gone);
    else
        wm_endpoint_free(gone);
}

void wm_pool_stock(struct wm_endpoint *e)
{
    while (e != NULL) {
        struct wm_endpoint *next = e->next;

        keep(e);
        e = next;
    }
}

struct wm_endpoint *wm_pool_take(struct wm_kin *kin)
{
    struct wm_endpoint *e;

    wm_process_lock(&wm_process.comms_lock);
    if ((e = kin->idle) != NULL)
        take(e);
    wm_process_unlock(&wm_process.comms_lock);
    return e;
}

static struct wm_endpoint *take_any(void)
{
    struct wm_endpoint *e;

    wm_process_lock(&wm_process.comms_lock);
    if ((e = heavy.oldest != NULL ? heavy.oldest : light.oldest) != NULL)
        take(e);
    wm_process_unlock(&wm_process.comms_lock);
    return e;
}

bool wm_pool_empty(void)
{
    struct wm_endpoint *e;
    bool any = false;

    for (; (e = take_any()) != NULL; any = true)
        wm_endpoint_free(e);
    return any;
}
