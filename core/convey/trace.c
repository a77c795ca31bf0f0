/* Hooks of the tracer: nothing is recorded of conveyors yet. */
#include "core/convey/codec.h"
#include "core/convey/synchronous.h"
#include "core/convey/trace.h"
struct wm_convey_trace *wm_convey_trace_begin(struct wm_conveyor *c)
{
    (void)c;
    return NULL;
}
void wm_convey_trace_end(struct wm_conveyor *c)
{
    (void)c;
}
void wm_convey_trace_open(struct wm_conveyor *c, struct wm_outlet *out)
{
    (void)c;
    (void)out;
}
void wm_convey_trace_close(struct wm_conveyor *c, struct wm_outlet *out, uint64_t units, size_t bytes,
                           enum wm_convey_reason reason)
{
    (void)c;
    (void)out;
    (void)units;
    (void)bytes;
    (void)reason;
}
void wm_convey_trace_refused(struct wm_conveyor *c, struct wm_outlet *out)
{
    (void)c;
    (void)out;
}
void wm_convey_trace_take(struct wm_conveyor *c, struct wm_inlet *in)
{
    (void)c;
    (void)in;
}
void wm_convey_trace_give(struct wm_conveyor *c, struct wm_inlet *in)
{
    (void)c;
    (void)in;
}
void wm_convey_trace_relay(struct wm_conveyor *c, struct wm_inlet *in, struct wm_outlet *out)
{
    (void)c;
    (void)in;
    (void)out;
}
void wm_convey_trace_advance(struct wm_conveyor *c, bool progressed)
{
    (void)c;
    (void)progressed;
}
void wm_convey_trace_state(struct wm_conveyor *c)
{
    (void)c;
}
