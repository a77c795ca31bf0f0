/* Joint plans: one call of several ranks of a process, run by one of them for all.
 *
 * It is made of their short plans (core/shared/short_plan.h), step by step. A shared step whose members are all among
 * these ranks takes no lane: what they give is combined or copied from buffer to buffer, in the order of members and by
 * the kernel of the lane, so that the results are the same to the bit. Any other step is run as the rank's own plan has
 * it. One rank alone may have shared steps with other processes: who runs the joint plan then waits for nothing that
 * this rank would not wait for, whatever the other processes do. */
#ifndef WM_JOINT_PLAN_H
#define WM_JOINT_PLAN_H

#include "core/shared/short_plan.h"

/* One of the ranks. */
struct wm_joint_rank {
    int rank;                         /* in the communicator */
    const struct wm_short_plan *plan; /* of the call, while the joint one is made */
    char *send, *receive;             /* its buffers, while the plan is run; the former is only read */
};

struct wm_joint_step;
struct wm_joint_place;

struct wm_joint_plan {
    int step_count;
    struct wm_joint_step *steps;           /* in the order in which they are run; NULL: there is no plan */
    struct wm_joint_place *places;         /* of these */
    char *room;                            /* for what is combined */
    const struct wm_shared_lane *crossing; /* of the first step with other processes; NULL: there is none */
};

/* Make a joint plan of the ranks' short ones; `ranks` and the latter live as long. False: they cannot be joined, and
 * there is no plan. Ends the process where there is no memory. Local. */
bool wm_joint_plan_make(struct wm_joint_plan *joint, const struct wm_joint_rank *ranks, int count);
void wm_joint_plan_release(struct wm_joint_plan *joint);

/* It is about to be run: claim the lines that other processes wait for. */
void wm_joint_plan_expect(const struct wm_joint_plan *joint);
/* Run it, on the buffers that stand in `ranks`. Blocks until the call is over at all of them. */
void wm_joint_plan_run(const struct wm_joint_plan *joint);

#endif
