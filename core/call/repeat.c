/* Repeat: a blocking call of our own that comes again, without a door. */
#include "core/call/repeat.h"

#include "core/call/brief.h"

static __attribute__((noinline)) struct wm_comm *find(const struct wm_call *call, struct wm_record_found *on)
{
    unsigned now = atomic_load_explicit(&wm_records_generation, memory_order_acquire);

    *on = (struct wm_record_found){call->comm, wm_record_enter(call->comm, call->operation), now};
    return on->record;
}

bool wm_call_repeat(const struct wm_call *call, struct wm_repeat *repeat)
{
    struct wm_comm *c = wm_record_holds(&repeat->on, call->comm) ? repeat->on.record : find(call, &repeat->on);
    int rc;

    return c != NULL && wm_brief_run(c, call, &repeat->stamp, &rc);
}
