/* The critical path of an instance (TRACES.md, definition 9): from the latest exit back to an arrival.
 *
 * Its steps meet without gap: local time on a rank, or a message from its send's beginning to its receive's end. They
 * sum to the latest exit less the enter of the rank at which the walk stops, which is where the last step shown begins.
 */
#ifndef WM_CRITICAL_H
#define WM_CRITICAL_H

#include "tools/instance.h"

struct wm_critical_step {
    int member;    /* of the communicator: whose local time; a message's destination */
    uint16_t node; /* the stage that worked or received; of local time without either, the innermost visit's */
    int64_t begin_ns, end_ns;
    const struct wm_message *message; /* NULL: local */
};

/* Walk the path of the outermost visits of `instance`, from its end backwards. Returns the number of steps, 0 where no
 * visit ended. O(sides). */
size_t wm_critical_walk(const struct wm_instance *instance,
                        void (*take)(void *context, const struct wm_critical_step *step), void *context);

#endif
