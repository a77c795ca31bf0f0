/* Sharing: the shared steps of a flight, from the moment they are ready until they are over.
 *
 * A step begins when it is ready and the one before it on its lane is over. */
#ifndef WM_SHARING_H
#define WM_SHARING_H

#include "core/shared/lanes.h"
#include "core/plan/plan.h"

enum wm_sharing_state { WM_SHARING_PLANNED, WM_SHARING_READY, WM_SHARING_BEGUN, WM_SHARING_OVER };

struct wm_sharing_step {
    struct wm_shared_task task;
    struct wm_shared_lane *lane;
    enum wm_sharing_state state;
    int step;   /* of the plan */
    int before; /* the step before it on its lane, -1: none */
    const struct wm_transport *transport;
    uint64_t ready_ticks; /* of the trace's clock, 0: not traced */
};

struct wm_sharing {
    int room, count;
    int first;                     /* all before it are over */
    int under_way;                 /* ready or begun */
    struct wm_sharing_step *steps; /* by number of the shared step */
};

/* Give the plan's shared steps their lanes. 0, or -WM_EINVAL: the node's shared memory is used up. */
int wm_sharing_start(struct wm_sharing *sharing, const struct wm_plan *plan, struct wm_lanes *lanes);
void wm_sharing_release(struct wm_sharing *sharing);
/* None of the steps goes on. */
void wm_sharing_abandon(struct wm_sharing *sharing);

/* Step `step` of the plan is ready, at that time of the trace's clock. */
void wm_sharing_ready(struct wm_sharing *sharing, const struct wm_plan *plan, int step, uint64_t ticks);
/* Go on with what is under way. Returns a step of the plan that is over now, with its *error; call it again then. -1:
 * no step is over. */
int wm_sharing_advance(struct wm_sharing *sharing, const struct wm_plan *plan, const struct wm_shared_data *data,
                       int *error);

#endif
