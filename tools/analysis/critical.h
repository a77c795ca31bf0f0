/* The critical path of an instance (docs/definitions.md, 9): from the latest exit back to an arrival.
 *
 * Its steps meet without gap: local time on a rank, or a message from its send's beginning to its receive's end. They
 * sum to the latest exit less the enter of the rank at which the walk stops, which is where the last step shown begins.
 *
 * A receive leads to its sender when the send began after the receive was posted. A rank that has no messages on record
 * (a native call, shared memory alone, recording at level `calls`) shows nothing of who held it up but arrivals: from
 * there the path goes straight to the last arrival that the rank waited for (definition 3), as local time since then,
 * and a last step of no length on the rank that arrived. A shared step of a rank with messages is local time. */
#ifndef WM_CRITICAL_H
#define WM_CRITICAL_H

#include "tools/analysis/instance.h"

struct wm_critical_step {
    int member;    /* of the communicator: whose local time; a message's destination */
    uint16_t node; /* the stage that worked, received or sent; of local time without any, the innermost region's */
    int64_t begin_ns, end_ns;
    const struct wm_trace_message *message; /* NULL: local */
};

/* Bring the sides and works of every part into the order of their ends: before the walk, once. O(n log n). */
void wm_critical_sort(struct wm_instance *instance);

/* Walk the path of the outermost regions of `instance`, from its end backwards. Returns the number of steps, 0 where no
 * region ended. O(sides + works), and O(log sides) a step. */
size_t wm_critical_walk(const struct wm_instance *instance,
                        void (*take)(void *context, const struct wm_critical_step *step), void *context);

#endif
