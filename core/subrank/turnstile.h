/* The turnstile: the lock of a process's workers, which are threads that may be more than processors.
 *
 * Who finds it taken looks again for a moment, and then gives the processor away between looks. Nobody queues: a worker
 * that has no processor when its turn comes would keep all others out. In the place of that, who goes in and out again
 * and again gives way to those that wait, for a while. */
#ifndef WM_SUBRANK_TURNSTILE_H
#define WM_SUBRANK_TURNSTILE_H

#include <stdatomic.h>
#include <stdbool.h>

struct wm_turnstile {
    _Alignas(64) atomic_bool taken;
    _Alignas(64) atomic_int waiting; /* workers that want in */
    atomic_uint waited;              /* of them, those that got in so far */
};

void wm_turnstile_take(struct wm_turnstile *turnstile);
static inline void wm_turnstile_give(struct wm_turnstile *turnstile)
{
    atomic_store_explicit(&turnstile->taken, false, memory_order_release);
}

/* Somebody wants in. */
static inline bool wm_turnstile_is_wanted(const struct wm_turnstile *turnstile)
{
    return atomic_load_explicit(&turnstile->waiting, memory_order_relaxed) > 0;
}

/* Called by who has given it: return when one that waits has got in, none waits, or they do not come. */
void wm_turnstile_give_way(struct wm_turnstile *turnstile);

#endif
