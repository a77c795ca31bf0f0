/* The turnstile: tried, waited for, and left to others. */
#include "core/subrank/turnstile.h"
#include "core/node/pause.h"
#include "core/node/rest.h"

/* A door takes 0.1 µs; a pause 10 to 40 ns. */
enum { PAUSES = 64 };

static bool try_to_take(struct wm_turnstile *t)
{
    return !atomic_load_explicit(&t->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&t->taken, true, memory_order_acquire);
}

void wm_turnstile_take(struct wm_turnstile *t)
{
    if (__builtin_expect(try_to_take(t), 1))
        return;
    atomic_fetch_add_explicit(&t->waiting, 1, memory_order_relaxed);
    for (unsigned turn = 1; !try_to_take(t); turn++) {
        if (turn % PAUSES != 0)
            wm_pause();
        else
            wm_node_rest();
    }
    atomic_fetch_sub_explicit(&t->waiting, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->waited, 1, memory_order_relaxed);
}

void wm_turnstile_give_way(struct wm_turnstile *t)
{
    unsigned before = atomic_load_explicit(&t->waited, memory_order_relaxed);

    for (int turn = 0; wm_turnstile_is_wanted(t); turn++) {
        if (atomic_load_explicit(&t->waited, memory_order_relaxed) != before)
            return;
        if (turn == PAUSES) {
            wm_node_rest();
            return;
        }
        wm_pause();
    }
}
