/* What the tracer is told of a conveyor: buffers, not items, and one item in 2^k on its whole way. */
#ifndef WM_CONVEY_TRACE_H
#define WM_CONVEY_TRACE_H

#include "core/convey/state.h"

struct wm_convey_trace;

/* Begin and end a run; NULL from begin: nothing is recorded. */
struct wm_convey_trace *wm_convey_trace_begin(struct wm_conveyor *c);
void wm_convey_trace_end(struct wm_conveyor *c);

/* A buffer was opened for an item that is about to be written; was closed with `units` more handed over; found no room.
 */
void wm_convey_trace_open(struct wm_conveyor *c, struct wm_outlet *out);
void wm_convey_trace_close(struct wm_conveyor *c, struct wm_outlet *out, uint64_t units, size_t bytes,
                           enum wm_convey_reason reason);
void wm_convey_trace_refused(struct wm_conveyor *c, struct wm_outlet *out);
/* A chunk was taken, is given back. */
void wm_convey_trace_take(struct wm_conveyor *c, struct wm_inlet *in);
void wm_convey_trace_give(struct wm_conveyor *c, struct wm_inlet *in);
/* A relay has written the sampled item of `in` as the next unit of `out`. */
void wm_convey_trace_relay(struct wm_conveyor *c, struct wm_inlet *in, struct wm_outlet *out);
/* convey_advance begins and ends; `progressed`. The state has changed. */
void wm_convey_trace_advance(struct wm_conveyor *c, bool progressed);
void wm_convey_trace_state(struct wm_conveyor *c);

#endif
