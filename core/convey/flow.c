/* What happens to buffers: opened, closed, taken, given back; and counted and recorded there. */
#include "core/convey/state.h"
#include "core/convey/trace.h"

bool wm_flow_close(struct wm_conveyor *c, struct wm_outlet *out, enum wm_convey_reason reason)
{
    size_t bytes = 0;
    uint64_t before = out->handed;

    if (out->open_at == NULL)
        return true;
    if (!out->carrier->class->close(out, reason, &bytes))
        return false;
    if (bytes > 0) {
        c->stats[0][convey_COMMS]++;
        c->stats[0][convey_BYTES] += (int64_t)bytes;
        if (c->trace != NULL)
            wm_convey_trace_close(c, out, out->handed - before, bytes, reason);
    }
    out->urgent = false;
    return true;
}

bool wm_flow_room(struct wm_conveyor *c, struct wm_outlet *out, size_t units)
{
    if (!wm_flow_close(c, out, WM_REASON_FULL) || !out->carrier->class->open(out, units)) {
        if (c->trace != NULL)
            wm_convey_trace_refused(c, out);
        return false;
    }
    c->openings++;
    if (c->trace != NULL)
        wm_convey_trace_open(c, out);
    return true;
}

bool wm_flow_take(struct wm_conveyor *c, struct wm_inlet *in)
{
    if (!in->carrier->class->take(in))
        return false;
    c->takings++;
    if (c->trace != NULL)
        wm_convey_trace_take(c, in);
    return true;
}

void wm_flow_give(struct wm_conveyor *c, struct wm_inlet *in)
{
    if (c->trace != NULL)
        wm_convey_trace_give(c, in);
    in->carrier->class->give(in);
}
