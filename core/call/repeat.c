/* Repeat: a blocking call of our own that comes again, without a door. */
#include "core/call/repeat.h"

#include "core/call/again.h"
#include "core/call/meeting.h"
#include "core/record/clock_sync.h"
#include "core/record/control.h"

/* Calls of a trial, and those before which there is a meeting, go through the door. */
static bool is_alone(const struct wm_comm *c)
{
    return c->queue == NULL && c->in_flight == NULL && !c->unsettled &&
           (c->tuning == NULL || (c->trial == NULL && !wm_meeting_is_due(c)));
}

static __attribute__((noinline)) struct wm_comm *find(const struct wm_call *call, struct wm_record_found *on)
{
    unsigned now = atomic_load_explicit(&wm_records_generation, memory_order_acquire);

    *on = (struct wm_record_found){call->comm, wm_record_enter(call->comm, call->operation), now};
    return on->record;
}

bool wm_call_repeat(const struct wm_call *call, struct wm_repeat *repeat)
{
    struct wm_comm *c = wm_record_holds(&repeat->on, call->comm) ? repeat->on.record : find(call, &repeat->on);
    struct wm_last_call *last = c != NULL ? c->last[call->operation] : NULL;
    bool repeats = last != NULL && last->short_plan.plan != NULL;

    if (!repeats)
        return false;
    wm_comm_lock(c);
    repeats = is_alone(c) && wm_again_find_stamped(c, call, &repeat->stamp);
    if (repeats) {
        if (c->tuning != NULL)
            wm_meeting_pass(c);
        wm_control_begin(c->sequence++);
        wm_again_run(c, last, call);
        c->flights++;
    }
    wm_comm_unlock(c);
    if (repeats)
        wm_clock_sync_pass(&c->extent, call, MPI_SUCCESS);
    return repeats;
}
