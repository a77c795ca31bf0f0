/* Events: what their records say, put in words that all formats share. */
#include "tools/convert/event.h"

#include "core/hash.h"
#include "waymark/operation.h"

static const char *const category_names[WM_CATEGORIES] = {"call",     "work", "wait", "message",
                                                          "conveyor", "mark", "trace"};

static const uint8_t categories[WM_TRACE_KIND_COUNT] = {
    [WM_TRACE_ENTER] = WM_CATEGORY_CALL,
    [WM_TRACE_LEAVE] = WM_CATEGORY_CALL,
    [WM_TRACE_SEND_POST] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_SEND_DONE] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_RECV_POST] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_RECV_DONE] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_REDUCE] = WM_CATEGORY_WORK,
    [WM_TRACE_COPY] = WM_CATEGORY_WORK,
    [WM_TRACE_QUESTION] = WM_CATEGORY_WAIT,
    [WM_TRACE_CLOCK] = WM_CATEGORY_TRACE,
    [WM_TRACE_SHARED] = WM_CATEGORY_WORK,
    [WM_TRACE_CONVEY_STATE] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_OPEN] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_CLOSE] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_TAKE] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_PULL] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_GIVE] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_BLOCKED] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_COUNT] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_CONVEY_SAMPLE] = WM_CATEGORY_CONVEYOR,
    [WM_TRACE_SYNC] = WM_CATEGORY_TRACE,
    [WM_TRACE_LEVEL] = WM_CATEGORY_TRACE,
    [WM_TRACE_MARK] = WM_CATEGORY_MARK,
    [WM_TRACE_WAIT] = WM_CATEGORY_WAIT,
    [WM_TRACE_ASK] = WM_CATEGORY_TRACE,
    [WM_TRACE_MAP_EPOCH] = WM_CATEGORY_TRACE,
    [WM_TRACE_MESSAGE_POST] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_MESSAGE_KEPT] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_MESSAGE_MATCH] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_MESSAGE_DONE] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_P2P_POST] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_P2P_DONE] = WM_CATEGORY_MESSAGE,
    [WM_TRACE_REGION] = WM_CATEGORY_MARK,
    [WM_TRACE_STATEMENT] = WM_CATEGORY_TRACE, /* its slice tells all that it does */
};

enum wm_event_category wm_event_category(const struct wm_trace_record *record)
{
    return categories[record->kind];
}

const char *wm_category_name(enum wm_event_category category)
{
    return category_names[category];
}

bool wm_record_spans(const struct wm_trace_record *record)
{
    switch (record->kind) {
    case WM_TRACE_REDUCE:
    case WM_TRACE_COPY:
    case WM_TRACE_QUESTION:
    case WM_TRACE_SHARED:
    case WM_TRACE_CONVEY_BLOCKED:
    case WM_TRACE_WAIT:
        return true;
    default:
        return false;
    }
}

int64_t wm_record_span_ns(const struct wm_trace_rank *rank, const struct wm_trace_record *record)
{
    if (!wm_record_spans(record))
        return 0;
    if (record->kind == WM_TRACE_QUESTION)
        return record->argument < INT64_MAX / 4 ? (int64_t)record->argument : 0;
    return wm_trace_duration_ns(rank, record->argument);
}

bool wm_record_of_protocol(const struct wm_trace_record *record)
{
    return record->kind >= WM_TRACE_MESSAGE_POST && record->kind <= WM_TRACE_MESSAGE_DONE;
}

bool wm_record_of_statement(const struct wm_trace_record *record)
{
    return record->kind == WM_TRACE_STATEMENT || (record->kind <= WM_TRACE_LEAVE && record->flags == WM_STATEMENT);
}

bool wm_record_edge(const struct wm_trace_record *record)
{
    return record->kind >= WM_TRACE_SEND_POST && record->kind <= WM_TRACE_RECV_DONE;
}

static int world_rank(const struct wm_trace *trace, uint32_t key, int member)
{
    if (key >= trace->communicator_count || member < 0 || member >= trace->communicators[key].size)
        return -1;
    return trace->communicators[key].ranks[member];
}

/* The rank at the other end of a conveyor's link. */
static int link_peer(const struct wm_trace *trace, const struct wm_event *event)
{
    const struct wm_trace_record *record = &event->record;
    const struct wm_trace_conveyor *conveyor = wm_trace_conveyor_find(&trace->ranks[event->rank_index], record);
    bool inlet = record->kind == WM_TRACE_CONVEY_TAKE || record->kind == WM_TRACE_CONVEY_PULL ||
                 record->kind == WM_TRACE_CONVEY_GIVE ||
                 (record->kind == WM_TRACE_CONVEY_SAMPLE && record->flags == WM_TRACE_STEP_ARRIVED);
    const struct wm_trace_link *link;

    if (conveyor == NULL)
        return -1;
    link = inlet ? wm_trace_link_find(conveyor->inlets, conveyor->inlet_count, record->peer)
                 : wm_trace_link_find(conveyor->outlets, conveyor->outlet_count, record->peer);
    return link == NULL ? -1 : world_rank(trace, event->communicator, link->peer);
}

int wm_event_peer(const struct wm_trace *trace, const struct wm_event *event)
{
    if (wm_record_of_statement(&event->record))
        return -1;
    switch (event->record.kind) {
    case WM_TRACE_SYNC:
    case WM_TRACE_REGION:
        return event->record.peer;
    case WM_TRACE_REDUCE:
    case WM_TRACE_COPY:
    case WM_TRACE_SHARED:
    case WM_TRACE_MESSAGE_POST: /* endpoints */
    case WM_TRACE_MESSAGE_KEPT:
    case WM_TRACE_MESSAGE_MATCH:
    case WM_TRACE_MESSAGE_DONE:
        return -1;
    default:
        return categories[event->record.kind] == WM_CATEGORY_CONVEYOR
                   ? link_peer(trace, event)
                   : world_rank(trace, event->communicator, event->record.peer);
    }
}

bool wm_event_message(const struct wm_trace *trace, const struct wm_event *event, struct wm_event_message *message)
{
    bool sends = event->record.kind == WM_TRACE_SEND_POST || event->record.kind == WM_TRACE_SEND_DONE;
    int here = trace->ranks[event->rank_index].rank, there = wm_event_peer(trace, event);

    message->source = sends ? here : there;
    message->destination = sends ? there : here;
    message->number = (uint32_t)(event->record.argument >> 40);
    message->bytes = event->record.argument & 0xffffffffffu;
    return there >= 0;
}

uint64_t wm_event_flow(const struct wm_event *event, const struct wm_event_message *message)
{
    uint64_t hash = wm_hash_add(0x57, (uint64_t)event->communicator << 32 | event->record.sequence);

    hash = wm_hash_add(hash, (uint64_t)(uint32_t)message->source << 32 | (uint32_t)message->destination);
    hash = wm_hash_add(hash, message->number);
    return hash != 0 ? hash : 1;
}

int64_t wm_record_bytes(const struct wm_trace_record *record)
{
    switch (record->kind) {
    case WM_TRACE_ENTER:
    case WM_TRACE_LEAVE:
    case WM_TRACE_MESSAGE_POST:
    case WM_TRACE_MESSAGE_DONE:
        return record->argument <= INT64_MAX ? (int64_t)record->argument : -1;
    case WM_TRACE_CONVEY_CLOSE:
        return (int64_t)(record->argument & WM_TRACE_LOAD_BYTES_MAX);
    case WM_TRACE_MESSAGE_MATCH:
        return record->sequence;
    default:
        return wm_record_edge(record) || record->kind == WM_TRACE_MESSAGE_KEPT || record->kind == WM_TRACE_P2P_POST
                   ? (int64_t)(record->argument & 0xffffffffffu)
                   : -1;
    }
}
