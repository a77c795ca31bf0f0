/* Streams: a sorted window over a rank's records. */
#include "tools/convert/stream.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "waymark/operation.h"
#include "tools/convert/event.h"

int wm_stream_init(struct wm_stream *stream, struct wm_trace_rank *rank, size_t window, int64_t end_ns)
{
    *stream = (struct wm_stream){.rank = rank, .window = window, .last_ns = INT64_MIN, .end_ns = end_ns};
    stream->items = malloc(2 * (window + 2) * sizeof *stream->items);
    return stream->items == NULL ? -WM_ENOMEM : 0;
}

void wm_stream_release(struct wm_stream *stream)
{
    free(stream->items);
}

/* Put an item behind all that are not later. There is room for two more than the window. */
static void insert(struct wm_stream *stream, const struct wm_item *item)
{
    size_t at;

    if (stream->tail == 2 * (stream->window + 2)) {
        memmove(stream->items, stream->items + stream->head, (stream->tail - stream->head) * sizeof *stream->items);
        stream->tail -= stream->head;
        stream->head = 0;
    }
    for (at = stream->tail; at > stream->head && stream->items[at - 1].time_ns > item->time_ns;)
        at--;
    memmove(stream->items + at + 1, stream->items + at, (stream->tail - at) * sizeof *stream->items);
    stream->items[at] = *item;
    stream->tail++;
}

/* Nothing in a record is trusted, but its kind. */
static bool usable(const struct wm_trace_rank *rank, const struct wm_trace_record *record, int64_t time_ns)
{
    bool names_operation =
        record->kind < WM_TRACE_CLOCK || record->kind == WM_TRACE_SHARED || record->kind == WM_TRACE_WAIT;

    return wm_trace_plausible(rank, time_ns) && !(names_operation && record->flags >= WM_OPERATION_COUNT);
}

static void add_span(struct wm_stream *stream, const struct wm_item *end)
{
    struct wm_item begin = *end;
    int64_t span_ns = wm_record_span_ns(stream->rank, &end->record);

    begin.role = WM_ITEM_SPAN;
    begin.time_ns = span_ns < end->time_ns - stream->rank->start_ns ? end->time_ns - span_ns : stream->rank->start_ns;
    if (begin.time_ns > end->time_ns)
        begin.time_ns = end->time_ns;
    if (begin.time_ns < stream->last_ns)
        begin.time_ns = stream->last_ns;
    insert(stream, &begin);
}

static void read_one(struct wm_stream *stream)
{
    const struct wm_trace_record *record = wm_trace_next(stream->rank, &stream->next);
    struct wm_item item = {.role = WM_ITEM_RECORD, .number = stream->next};

    if (record == NULL) {
        stream->exhausted = true;
        return;
    }
    item.record = *record; /* a live ring may overwrite it meanwhile */
    if (item.record.kind >= WM_TRACE_KIND_COUNT)
        return;
    item.time_ns = wm_trace_ns(stream->rank, item.record.time_ticks);
    if (!usable(stream->rank, &item.record, item.time_ns)) {
        stream->damaged++;
        return;
    }
    if (item.time_ns < stream->last_ns) {
        item.time_ns = stream->last_ns;
        stream->clamped++;
    }
    if (wm_record_spans(&item.record))
        add_span(stream, &item);
    insert(stream, &item);
}

static bool same_call(const struct wm_item *a, const struct wm_item *b)
{
    return a->record.communicator == b->record.communicator && a->record.sequence == b->record.sequence;
}

static bool bounds_state(const struct wm_item *item)
{
    return item->role == WM_ITEM_SPAN || item->record.kind <= WM_TRACE_LEAVE || wm_record_spans(&item->record);
}

/* Does a state of the call begin or end before the span at the head does? */
static bool find_clash(const struct wm_stream *stream)
{
    const struct wm_item *span = &stream->items[stream->head];

    for (size_t i = stream->head + 1; i < stream->tail; i++) {
        const struct wm_item *item = &stream->items[i];

        if (item->number == span->number)
            return false;
        if (bounds_state(item) && same_call(item, span))
            return true;
    }
    return false;
}

/* Where the rank ends: by its closing pair, or by its last record. */
static void close_stream(struct wm_stream *stream)
{
    int64_t end_ns = stream->rank->end_ns < stream->end_ns ? stream->rank->end_ns : stream->end_ns;

    stream->head = 0;
    stream->tail = 1;
    stream->items[0] =
        (struct wm_item){.role = WM_ITEM_CLOSE, .time_ns = end_ns > stream->last_ns ? end_ns : stream->last_ns};
    stream->exhausted = stream->closed = true;
}

const struct wm_item *wm_stream_peek(struct wm_stream *stream)
{
    while (!stream->exhausted && stream->tail - stream->head < stream->window)
        read_one(stream);
    if (stream->head == stream->tail && stream->closed)
        return NULL;
    if (!stream->closed && (stream->head == stream->tail || stream->items[stream->head].time_ns > stream->end_ns))
        close_stream(stream);
    if (stream->items[stream->head].role == WM_ITEM_SPAN)
        stream->items[stream->head].clash = find_clash(stream);
    return &stream->items[stream->head];
}

void wm_stream_drop(struct wm_stream *stream)
{
    stream->last_ns = stream->items[stream->head++].time_ns;
}
