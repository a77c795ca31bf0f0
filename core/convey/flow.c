/* What happens to buffers: opened, closed, taken, given back; and counted and recorded there. */
#include "core/convey/state.h"
#include "core/convey/trace.h"

bool wm_flow_close(struct wm_conveyor *c, struct wm_outlet *out, enum wm_convey_reason reason)
{
    size_t bytes = 0;
    uint64_t before = out->handed;

    if (out->open_at == NULL) {
        out->urgent = false;
        return true;
    }
    if (!out->carrier->class->close(out, reason, &bytes))
        return false;
    if (bytes > 0) {
        if (!out->carrier->uncounted && out->peer != c->rank) {
            c->stats[0][convey_COMMS]++;
            c->stats[0][convey_BYTES] += (int64_t)bytes;
        }
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

void wm_flow_urge(struct wm_conveyor *c, struct wm_outlet *out)
{
    out->urgent = true;
    c->urgent = true;
}

void wm_flow_urge_hop(struct wm_conveyor *c, int hop)
{
    for (int link = 0; link < c->hops[hop].route->links; link++) {
        struct wm_outlet *out = c->hops[hop].outlets[link];

        if (out != NULL && out->open_at != NULL)
            wm_flow_urge(c, out);
    }
}

static bool hurry_hop(struct wm_conveyor *c, struct wm_convey_hop *h)
{
    bool all = true;

    for (int link = 0; link < h->route->links; link++) {
        struct wm_outlet *out = h->outlets[link];

        if (out != NULL && out->urgent && !wm_flow_close(c, out, WM_REASON_URGENT))
            all = false;
    }
    return all;
}

void wm_flow_hurry(struct wm_conveyor *c)
{
    bool all = true;

    for (int hop = 0; hop < c->hop_count; hop++)
        all &= hurry_hop(c, &c->hops[hop]);
    c->urgent = !all;
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
