/* Waits: which buffers wait for room in which others, and whether some do so in a circle.
 *
 * A buffer is any number; edges may be added many times. */
#ifndef WM_CONVEY_CYCLES_H
#define WM_CONVEY_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct wm_wait {
    uint64_t waits, awaited; /* buffers */
};

struct wm_waits {
    struct wm_wait *edges; /* the first `sorted` of them in order, none twice */
    size_t count, sorted, room;
};

/* Begin with {0}. Ends the process when there is no memory, as wm_waits_cycle does. */
void wm_waits_add(struct wm_waits *waits, uint64_t buffer, uint64_t awaited);
void wm_waits_release(struct wm_waits *waits);

/* Look for a circle along the edges, depth first. Writes up to `most` of its buffers, each waiting for the next one,
 * and returns how many it has; 0: there is none. The edges are then in order, and none is there twice. */
size_t wm_waits_cycle(struct wm_waits *waits, uint64_t *cycle, size_t most);

#endif
