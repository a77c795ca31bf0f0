/* Held messages of a flight: those that are received, but not due (core/process/uplink.h).
 *
 * A held message goes in two parts, one after the other, by whatever net: when it is due, then its data. Its states at
 * either end: two parts to come, one, none; then a receive waits until the message is due. */
#ifndef WM_HOLDING_H
#define WM_HOLDING_H

#include <stdbool.h>
#include "core/process/uplink.h"
#include "core/plan/plan.h"

struct wm_held_message {
    struct wm_due due; /* is sent from here, or comes here */
    uint64_t at_ns;    /* of one that waits */
    int parts, step;
};

struct wm_holding {
    int room, waiting;
    struct wm_held_message *messages; /* by wm_step.held, from 1 */
    struct wm_uplink *uplink;
};

/* A flight of a plan that has such messages begins; the memory is used again. */
void wm_holding_start(struct wm_holding *holding, const struct wm_plan *plan);
void wm_holding_release(struct wm_holding *holding);

static inline struct wm_held_message *wm_holding_message(struct wm_holding *holding, const struct wm_step *step)
{
    return &holding->messages[step->held - 1];
}

/* One more part of step number `step` is complete. True: the step is done. */
bool wm_holding_part(struct wm_holding *holding, const struct wm_plan *plan, int step);
/* A step that has waited and is due now, which no longer waits; -1: none. */
int wm_holding_take(struct wm_holding *holding, const struct wm_plan *plan);

#endif
