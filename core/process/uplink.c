/* Uplinks: messages leave one after another, and are due when the emulated network would have brought them. */
#include "core/process/uplink.h"

#include <pthread.h>
#include <stdatomic.h>
#include "core/data/allocate.h"
#include "core/hash.h"
#include "tracer/clock.h"

uint64_t (*wm_due_clock)(void) = wm_clock_monotonic_ns;

struct wm_uplink {
    struct wm_uplink *next;
    struct wm_lag lag;
    _Atomic uint64_t free_ns; /* when all that was sent has left */
};

static struct {
    pthread_mutex_t lock;
    struct wm_uplink *list;
    uint64_t clock; /* as of struct wm_due */
} uplinks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t clock_of_host(void)
{
    char id[37];

    wm_clock_boot_id(id);
    return id[0] != '\0' ? wm_hash_add_text(WM_HASH_BEGIN, id) : 0;
}

struct wm_uplink *wm_uplink_find(const struct wm_lag *lag)
{
    struct wm_uplink *u;

    pthread_mutex_lock(&uplinks.lock);
    if (uplinks.list == NULL)
        uplinks.clock = clock_of_host();
    for (u = uplinks.list; u != NULL && !wm_lag_equal(&u->lag, lag); u = u->next)
        ;
    if (u == NULL) {
        u = wm_allocate_zeroed(sizeof *u, "a delay");
        u->lag = *lag;
        u->next = uplinks.list;
        uplinks.list = u;
    }
    pthread_mutex_unlock(&uplinks.lock);
    return u;
}

/* When the last byte of the message has left. */
static uint64_t leave(struct wm_uplink *u, uint64_t now, size_t bytes)
{
    uint64_t busy = wm_lag_busy_ns(&u->lag, bytes), before = atomic_load_explicit(&u->free_ns, memory_order_relaxed),
             end;

    do
        end = (before > now ? before : now) + busy;
    while (
        !atomic_compare_exchange_weak_explicit(&u->free_ns, &before, end, memory_order_relaxed, memory_order_relaxed));
    return end;
}

struct wm_due wm_uplink_send(struct wm_uplink *u, int sender, int receiver, uint64_t number, size_t bytes)
{
    uint64_t now = wm_due_clock();

    return (struct wm_due){.sent_ns = now,
                           .due_ns = leave(u, now, bytes) + wm_lag_latency_ns(&u->lag, sender, receiver, number),
                           .clock = uplinks.clock};
}

/* Jitter at most doubles a latency. */
bool wm_uplinks_idle(void)
{
    uint64_t last = 0, due;

    pthread_mutex_lock(&uplinks.lock);
    for (const struct wm_uplink *u = uplinks.list; u != NULL; u = u->next) {
        due = atomic_load_explicit(&u->free_ns, memory_order_relaxed) + 2 * u->lag.latency_ns;
        last = due > last ? due : last;
    }
    pthread_mutex_unlock(&uplinks.lock);
    return last == 0 || wm_due_clock() > last;
}

uint64_t wm_due_here(const struct wm_due *due)
{
    if (due->clock != 0 && due->clock == uplinks.clock)
        return due->due_ns;
    return wm_due_clock() + (due->due_ns - due->sent_ns);
}
