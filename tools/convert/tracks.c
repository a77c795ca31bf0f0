/* Tracks: stacks of states, of which none outlives the one around it. */
#include "tools/convert/tracks.h"

#include <stdlib.h>
#include "core/error.h"
#include "tools/convert/converter.h"
#include "core/vector.h"

struct frame {
    struct wm_trace_record record; /* of its begin */
    uint64_t number;               /* of a span's record; else UINT64_MAX */
    unsigned pieces;               /* enters not yet left */
    int64_t begin_ns;
};

struct wm_track {
    size_t depth, capacity;
    struct frame *frames;
};

struct place {
    size_t track, depth;
};

void wm_tracks_init(struct wm_tracks *tracks, const struct wm_trace *trace, int rank_index, int64_t begin_ns,
                    struct wm_converter_counts *counts, int (*take)(void *, const struct wm_event *), void *context)
{
    *tracks = (struct wm_tracks){.trace = trace,
                                 .rank_index = rank_index,
                                 .begin_ns = begin_ns,
                                 .counts = counts,
                                 .take = take,
                                 .context = context};
}

void wm_tracks_release(struct wm_tracks *tracks)
{
    for (size_t i = 0; i < tracks->count; i++)
        free(tracks->tracks[i].frames);
    free(tracks->tracks);
}

static int emit(struct wm_tracks *tracks, struct wm_event event)
{
    if (!tracks->started)
        return 0;
    event.rank_index = tracks->rank_index;
    event.communicator =
        wm_record_of_protocol(&event.record) || event.record.kind == WM_TRACE_REGION
            ? WM_TRACE_NO_COMMUNICATOR
            : wm_trace_communicator_key(&tracks->trace->ranks[tracks->rank_index], event.record.communicator);
    tracks->counts->records[event.record.kind] += event.own;
    tracks->counts->begins += event.kind == WM_EVENT_BEGIN;
    tracks->counts->ends += event.kind == WM_EVENT_END;
    tracks->counts->cut += event.kind == WM_EVENT_END && event.cut;
    return tracks->take(tracks->context, &event);
}

/* An event that stands for its record alone. */
static int emit_own(struct wm_tracks *tracks, enum wm_event_kind kind, const struct wm_item *item, size_t track)
{
    size_t depth = track < tracks->count ? tracks->tracks[track].depth : 0;

    return emit(tracks, (struct wm_event){.kind = kind,
                                          .own = true,
                                          .track = (uint32_t)track,
                                          .depth = (uint32_t)depth,
                                          .time_ns = item->time_ns,
                                          .begin_ns = item->time_ns,
                                          .record = item->record});
}

static bool same_call(const struct wm_trace_record *a, const struct wm_trace_record *b)
{
    return a->communicator == b->communicator && a->sequence == b->sequence;
}

/* The track of the call, on which wrappers of it are open; tracks->count: none. */
static size_t find_call(const struct wm_tracks *tracks, const struct wm_trace_record *record)
{
    for (size_t i = 0; i < tracks->count; i++) {
        const struct wm_track *track = &tracks->tracks[i];

        if (track->depth > 0 && track->frames[0].record.kind == WM_TRACE_ENTER &&
            same_call(&track->frames[0].record, record))
            return i;
    }
    return tracks->count;
}

/* The first empty track from `from` on; a new one where there is none, which may fail: -WM_ENOMEM. */
static int find_empty(struct wm_tracks *tracks, size_t from, size_t *found)
{
    for (*found = from; *found < tracks->count; ++*found)
        if (tracks->tracks[*found].depth == 0)
            return 0;
    if (wm_vector_reserve(&tracks->tracks, &tracks->capacity, *found + 1, sizeof *tracks->tracks) < 0)
        return -WM_ENOMEM;
    while (tracks->count <= *found)
        tracks->tracks[tracks->count++] = (struct wm_track){0};
    return 0;
}

static int push(struct wm_tracks *tracks, size_t at, const struct wm_item *item, bool own)
{
    struct wm_track *track = &tracks->tracks[at];
    struct wm_event event = {.kind = WM_EVENT_BEGIN,
                             .own = own,
                             .track = (uint32_t)at,
                             .depth = (uint32_t)track->depth,
                             .time_ns = item->time_ns,
                             .begin_ns = item->time_ns,
                             .state = &item->record,
                             .record = item->record};

    if (wm_vector_reserve(&track->frames, &track->capacity, track->depth + 1, sizeof *track->frames) < 0)
        return -WM_ENOMEM;
    track->frames[track->depth++] =
        (struct frame){item->record, item->role == WM_ITEM_SPAN ? item->number : UINT64_MAX, 1, item->time_ns};
    return emit(tracks, event);
}

/* End the innermost state of a track. `record`: of its end, or NULL. */
static int pop(struct wm_tracks *tracks, size_t at, int64_t time_ns, const struct wm_trace_record *record, bool own,
               bool cut)
{
    struct wm_track *track = &tracks->tracks[at];
    struct frame *frame = &track->frames[--track->depth];
    int64_t begin_ns = frame->begin_ns > tracks->begin_ns ? frame->begin_ns : tracks->begin_ns;

    return emit(tracks, (struct wm_event){.kind = WM_EVENT_END,
                                          .own = own,
                                          .cut = cut,
                                          .track = (uint32_t)at,
                                          .depth = (uint32_t)track->depth,
                                          .time_ns = time_ns,
                                          .begin_ns = begin_ns,
                                          .state = &frame->record,
                                          .record = record != NULL ? *record : frame->record});
}

/* End the state at this place, and before it those within it. */
static int pop_to(struct wm_tracks *tracks, struct place place, const struct wm_item *item, bool own)
{
    int rc = 0;

    while (rc == 0 && tracks->tracks[place.track].depth > place.depth + 1) {
        tracks->counts->tangled++;
        rc = pop(tracks, place.track, item->time_ns, NULL, false, true);
    }
    return rc != 0 ? rc : pop(tracks, place.track, item->time_ns, own ? &item->record : NULL, own, false);
}

/* The state that the item ends, or enters again. */
static bool matches(const struct frame *frame, const struct wm_item *item)
{
    if (wm_record_spans(&item->record))
        return frame->number == item->number;
    if (item->record.kind == WM_TRACE_CONVEY_STATE)
        return frame->record.kind == WM_TRACE_CONVEY_STATE && frame->record.communicator == item->record.communicator;
    return frame->record.kind == WM_TRACE_ENTER && frame->record.node == item->record.node &&
           same_call(&frame->record, &item->record);
}

static bool find_frame(const struct wm_tracks *tracks, const struct wm_item *item, struct place *place)
{
    for (size_t i = 0; i < tracks->count; i++) {
        for (size_t depth = tracks->tracks[i].depth; depth-- > 0;) {
            if (matches(&tracks->tracks[i].frames[depth], item)) {
                *place = (struct place){i, depth};
                return true;
            }
        }
    }
    return false;
}

static struct frame *frame_at(const struct wm_tracks *tracks, struct place place)
{
    return &tracks->tracks[place.track].frames[place.depth];
}

static int enter(struct wm_tracks *tracks, const struct wm_item *item)
{
    struct place place;
    size_t track;

    if (find_frame(tracks, item, &place)) {
        frame_at(tracks, place)->pieces++;
        return emit_own(tracks, WM_EVENT_FOLDED, item, place.track);
    }
    track = find_call(tracks, &item->record);
    if (track == tracks->count && find_empty(tracks, 0, &track) < 0)
        return -WM_ENOMEM;
    return push(tracks, track, item, true);
}

static int leave(struct wm_tracks *tracks, const struct wm_item *item)
{
    struct place place;

    if (!find_frame(tracks, item, &place)) {
        tracks->counts->headless += tracks->started;
        return emit_own(tracks, WM_EVENT_FOLDED, item, 0);
    }
    if (--frame_at(tracks, place)->pieces > 0)
        return emit_own(tracks, WM_EVENT_FOLDED, item, place.track);
    return pop_to(tracks, place, item, true);
}

static int begin_span(struct wm_tracks *tracks, const struct wm_item *item)
{
    size_t track = item->clash ? tracks->count : find_call(tracks, &item->record);
    bool waits = item->record.kind == WM_TRACE_WAIT || item->record.kind == WM_TRACE_CONVEY_BLOCKED;

    if (track == tracks->count && find_empty(tracks, item->clash || waits ? 1 : 0, &track) < 0)
        return -WM_ENOMEM;
    return push(tracks, track, item, false);
}

static int end_span(struct wm_tracks *tracks, const struct wm_item *item)
{
    struct place place;

    if (find_frame(tracks, item, &place))
        return pop_to(tracks, place, item, true);
    return emit_own(tracks, WM_EVENT_FOLDED, item, 0); /* a state around it ended first */
}

/* A conveyor is in one state at a time; dormant and complete are none. */
static int change_state(struct wm_tracks *tracks, const struct wm_item *item)
{
    bool rests = item->record.flags == 0 || item->record.flags >= 4;
    struct place place;
    size_t track;
    int rc = 0;

    if (find_frame(tracks, item, &place)) {
        rc = pop_to(tracks, place, item, rests);
        track = place.track;
        if (rests || rc != 0)
            return rc;
    } else if (rests) {
        return emit_own(tracks, WM_EVENT_FOLDED, item, 0);
    } else if (find_empty(tracks, 1, &track) < 0) {
        return -WM_ENOMEM;
    }
    return push(tracks, track, item, true);
}

/* The track on which the conveyor's states stand; tracks->count: it is in none. */
static size_t find_conveyor(const struct wm_tracks *tracks, const struct wm_trace_record *record)
{
    for (size_t i = 0; i < tracks->count; i++) {
        const struct wm_track *track = &tracks->tracks[i];

        if (track->depth > 0 && track->frames[0].record.kind == WM_TRACE_CONVEY_STATE &&
            track->frames[0].record.communicator == record->communicator)
            return i;
    }
    return tracks->count;
}

/* A moment stands on the track of what it happens in. */
static int point(struct wm_tracks *tracks, const struct wm_item *item)
{
    size_t track = 0;

    if (wm_record_edge(&item->record))
        track = find_call(tracks, &item->record);
    else if (wm_event_category(&item->record) == WM_CATEGORY_CONVEYOR)
        track = find_conveyor(tracks, &item->record);

    return emit_own(tracks, WM_EVENT_POINT, item, track < tracks->count ? track : 0);
}

/* The window begins: what is open begins there. */
static int start(struct wm_tracks *tracks)
{
    int rc = 0;

    tracks->started = true;
    for (size_t i = 0; i < tracks->count; i++) {
        for (size_t depth = 0; depth < tracks->tracks[i].depth && rc == 0; depth++)
            rc = emit(tracks, (struct wm_event){.kind = WM_EVENT_BEGIN,
                                                .cut = true,
                                                .track = (uint32_t)i,
                                                .depth = (uint32_t)depth,
                                                .time_ns = tracks->begin_ns,
                                                .begin_ns = tracks->begin_ns,
                                                .state = &tracks->tracks[i].frames[depth].record,
                                                .record = tracks->tracks[i].frames[depth].record});
    }
    return rc;
}

static int finish(struct wm_tracks *tracks, int64_t time_ns)
{
    int rc = 0;

    for (size_t i = 0; i < tracks->count; i++)
        while (tracks->tracks[i].depth > 0 && rc == 0)
            rc = pop(tracks, i, time_ns, NULL, false, true);
    return rc;
}

int wm_tracks_add(struct wm_tracks *tracks, const struct wm_item *item)
{
    int rc = !tracks->started && item->time_ns >= tracks->begin_ns ? start(tracks) : 0;

    if (rc != 0)
        return rc;
    if (item->role == WM_ITEM_CLOSE)
        return finish(tracks, item->time_ns);
    if (item->role == WM_ITEM_SPAN)
        return begin_span(tracks, item);
    if (wm_record_spans(&item->record))
        return end_span(tracks, item);
    switch (item->record.kind) {
    case WM_TRACE_ENTER:
        return enter(tracks, item);
    case WM_TRACE_LEAVE:
        return leave(tracks, item);
    case WM_TRACE_CONVEY_STATE:
        return change_state(tracks, item);
    default:
        return point(tracks, item);
    }
}
