/* Streams: one rank's records in the order of time, with the begins of what spans put where they belong.
 *
 * Records stand in the order of writing, which is nearly that of time, and a record of a work or a wait stands at its
 * end. A stream looks ahead over a window of records and sorts within it; where the window is too short, times are
 * raised to that of the last item, so that they never go back. Memory: the window, whatever the length of the trace. */
#ifndef WM_CONVERT_STREAM_H
#define WM_CONVERT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tracer/reader.h"

enum wm_item_role {
    WM_ITEM_RECORD,
    WM_ITEM_SPAN, /* the begin of what the record of this number ends */
    WM_ITEM_CLOSE /* the last item: the rank's end, or the window's */
};

struct wm_item {
    enum wm_item_role role;
    int64_t time_ns;
    uint64_t number; /* of the record, by which both ends of a span are known */
    bool clash;      /* SPAN: another state of the same call begins or ends within it, so that it does not nest */
    struct wm_trace_record record;
};

struct wm_stream {
    struct wm_trace_rank *rank;
    uint64_t next; /* record to read */
    int64_t last_ns, end_ns;
    bool exhausted, closed;
    uint64_t damaged, clamped;
    size_t window, head, tail; /* items[head … tail - 1] are sorted; room for twice the window */
    struct wm_item *items;
};

/* Begin at the rank's first record, to end at `end_ns`. Returns 0 or -WM_ENOMEM; release in any case. */
int wm_stream_init(struct wm_stream *stream, struct wm_trace_rank *rank, size_t window, int64_t end_ns);
void wm_stream_release(struct wm_stream *stream);

/* The next item without taking it; NULL after the close. Good until the next call. */
const struct wm_item *wm_stream_peek(struct wm_stream *stream);
void wm_stream_drop(struct wm_stream *stream);

#endif
