/* Brief calls: looked up, run, published meanwhile. */
#include "core/call/brief.h"

#include "core/call/again.h"
#include "core/call/dead.h"
#include "core/call/left.h"
#include "core/call/meeting.h"
#include "core/call/publish.h"
#include "core/call/verify.h"
#include "core/record/clock_sync.h"
#include "core/record/control.h"
#include "waymark/runtime.h"

/* Calls of a trial, and those before which there is a meeting, take a longer way. */
static bool is_alone(const struct wm_comm *c)
{
    return c->queue == NULL && c->in_flight == NULL && !c->unsettled &&
           (c->tuning == NULL || (c->trial == NULL && !wm_meeting_is_due(c)));
}

/* The caller has a door, and the guard does not want to know. */
static bool may_leave(const struct wm_comm *c, const struct wm_last_call *last, const uint64_t *stamp)
{
    return last->left && stamp == NULL && c->shown == NULL;
}

/* NULL: it is not the last one again, or that was not brief. */
static struct wm_last_call *find(struct wm_comm *c, const struct wm_call *call, uint64_t *stamp)
{
    struct wm_last_call *last = c->last[call->operation];

    if (last == NULL || (last->short_plan.plan == NULL && !may_leave(c, last, stamp)) || !is_alone(c))
        return NULL;
    if (stamp == NULL)
        return wm_again_find(c, call);
    return wm_again_find_stamped(c, call, stamp) ? last : NULL;
}

static __attribute__((noinline)) void run_shown(struct wm_comm *c, struct wm_last_call *last,
                                                const struct wm_call *call)
{
    struct wm_late_call late = {c, call, last};
    struct wm_check *check = &wm_engine_lanes(c->end->engine)->check;

    *check = (struct wm_check){.print = wm_verifies_each() ? wm_publish_foresee(&late) : 0,
                               .publish = wm_publish_late,
                               .call = &late,
                               .stopped = check->stopped};
    wm_again_run(c, last, call);
    wm_check_publish(check);
}

static inline void run(struct wm_comm *c, struct wm_last_call *last, const struct wm_call *call)
{
    if (c->shown != NULL)
        run_shown(c, last, call);
    else
        wm_again_run(c, last, call);
}

/* Behind a call, when the lock has been given back. */
static int end(struct wm_comm *c, const struct wm_call *call)
{
    int rc = wm_dead_end(c, wm_verify_end(c, MPI_SUCCESS));

    if (c->shown != NULL)
        wm_publish_left();
    wm_clock_sync_pass(&c->extent, call, rc);
    return rc;
}

bool wm_brief_run(struct wm_comm *c, const struct wm_call *call, uint64_t *stamp, int *rc)
{
    struct wm_last_call *last;
    bool left;

    wm_comm_lock(c);
    if ((last = find(c, call, stamp)) == NULL) {
        wm_comm_unlock(c);
        return false;
    }
    left = last->left;
    if (c->tuning != NULL)
        wm_meeting_pass(c);
    wm_control_begin(c->sequence++);
    if (left) {
        wm_left_count_again(c, call->operation);
    } else {
        run(c, last, call);
        c->flights++;
    }
    wm_comm_unlock(c);
    *rc = left ? WM_CALL_LEFT : end(c, call);
    return true;
}
