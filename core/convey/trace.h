/* What the tracer is told of a conveyor: buffers, not items, and one item in 2^k on its whole way; at the level `calls`
 * states and counts alone. The level of a run is that of its beginning.
 *
 * A conveyor is recorded in runs whose path has `(trace)`, if the job is traced. Its communicator, hops and links are
 * defined before the first such run, and again when a run has another pipeline; runs are numbered from 1. Records and
 * their arguments: tracer/FORMAT.md. Whoever calls these functions, but for begin, end and free, has seen that c->trace
 * is not NULL: a run that is not recorded costs that test a buffer.
 *
 * Watched items. When a push opens a buffer, and 2^k items have gone by since the last one, its item is watched: its
 * time and its position on the link travel with the buffer (struct wm_convey_sample), and each relay hands them on.
 * Such an item is the first of its buffer at the source: it waits there the longest, so what is seen is the slow side.
 * A buffer carries one: where two meet, the second is let go. Synchronous conveyors have none. */
#ifndef WM_CONVEY_TRACE_H
#define WM_CONVEY_TRACE_H

#include "core/convey/state.h"

struct wm_convey_trace;

/* Begin a run: returns what c->trace is to be, NULL where nothing is recorded. What c->trace was is used again or
 * freed. All ranks of the conveyor call it. */
struct wm_convey_trace *wm_convey_trace_begin(struct wm_conveyor *c);
/* The run is over; c->trace may be NULL. */
void wm_convey_trace_end(struct wm_conveyor *c);
/* NULL is allowed. */
void wm_convey_trace_free(struct wm_convey_trace *trace);

/* A buffer was opened for an item that is about to be written; was closed with `units` more handed over; found no room.
 */
void wm_convey_trace_open(struct wm_conveyor *c, struct wm_outlet *out);
void wm_convey_trace_close(struct wm_conveyor *c, struct wm_outlet *out, uint64_t units, size_t bytes,
                           enum wm_convey_reason reason);
void wm_convey_trace_refused(struct wm_conveyor *c, struct wm_outlet *out);
/* A chunk was taken; is pulled from for the first time, later than that; is given back. */
void wm_convey_trace_take(struct wm_conveyor *c, struct wm_inlet *in);
void wm_convey_trace_pull(struct wm_conveyor *c, struct wm_inlet *in);
void wm_convey_trace_give(struct wm_conveyor *c, struct wm_inlet *in);
/* From here on what opens buffers are relays, or pushes again. */
void wm_convey_trace_relaying(struct wm_conveyor *c, bool relaying);
/* A relay is about to write the watched item of `in` as the next unit of `out`, which has room. */
void wm_convey_trace_relay(struct wm_conveyor *c, struct wm_inlet *in, struct wm_outlet *out);
/* convey_advance ends; something has happened in it or not. The state has changed. */
void wm_convey_trace_advance(struct wm_conveyor *c, bool progressed);
void wm_convey_trace_state(struct wm_conveyor *c);

/* core/convey/trace_define.c: the communicator `id` of the conveyor; its hops and links from run `run` on. */
void wm_convey_trace_define_ranks(const struct wm_conveyor *c, uint32_t id);
void wm_convey_trace_define_links(const struct wm_conveyor *c, uint32_t id, uint32_t run);

#endif
