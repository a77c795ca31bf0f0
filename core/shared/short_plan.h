/* Short plans: up to three shared steps, and perhaps a copy or two between the user's buffers, run without an engine.
 *
 * What is the same in equal calls is found out when the plan is made short; the user's buffers alone change. */
#ifndef WM_SHORT_PLAN_H
#define WM_SHORT_PLAN_H

#include "core/shared/lanes.h"
#include "core/shared/short.h"

enum { WM_SHORT_PLAN_SHARED_MAX = 3 }; /* among siblings, among processes, and back */

struct wm_short_plan {
    const struct wm_plan *plan; /* NULL: it is not short */
    size_t unit_bytes;
    bool overlaps; /* what is copied has nothing to do with the only shared step, which has two parts */
    struct wm_shared_short steps[WM_SHORT_PLAN_SHARED_MAX]; /* as the plan numbers them */
};

/* Make `plan` short, if it can be; it lives as long, and so does `data->geometry`. `data` says what its names mean, but
 * for the buffers. Local. */
void wm_short_plan_make(struct wm_short_plan *short_plan, struct wm_lanes *lanes, const struct wm_plan *plan,
                        const struct wm_shared_data *data);

/* Run its steps, in the order in which the plan lists them, or the copies within the shared step. Blocks until they are
 * over at this member. */
void wm_short_plan_run(const struct wm_short_plan *short_plan, const void *send, void *receive);
/* Run one of them, by its place in the plan. */
void wm_short_plan_run_step(const struct wm_short_plan *short_plan, int step, const void *send, void *receive);

#endif
