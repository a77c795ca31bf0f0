/* perfetto: the trace packets of ui.perfetto.dev and trace_processor, in protocol buffers.
 *
 * One sequence of packets for all ranks, so that names are told once; tracks by descriptors: a process a host, a thread
 * a rank, a child track for each track beside it. Messages are flows between two instants. Times are the trace's common
 * clock, told as the boot clock, beside which a snapshot puts the wall clock. Field numbers: Perfetto's
 * protos/perfetto/trace/trace_packet.proto and track_event/. */
#include <stdlib.h>
#include <string.h>
#include "tools/convert/converter.h"
#include "tools/convert/protobuf.h"

enum {
    TRACE_PACKET = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
    SNAPSHOT_CLOCK = 1,
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,
    INTERNED_CATEGORY = 1,
    INTERNED_NAME = 2,
    INTERNED_ANNOTATION = 3,
    INTERNED_IID = 1,
    INTERNED_TEXT = 2,
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_INT = 4,
    ANNOTATION_STRING = 6
};

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { BUILTIN_REALTIME = 1, BUILTIN_BOOTTIME = 6 };
enum { SEQUENCE = 1 };

/* What is said of events. */
#define ANNOTATIONS(X)                                                                                                 \
    X(BYTES, "bytes")                                                                                                  \
    X(ROOT, "root")                                                                                                    \
    X(PEER, "peer")                                                                                                    \
    X(SEQUENCE, "sequence")                                                                                            \
    X(COMMUNICATOR, "communicator")                                                                                    \
    X(LINE, "line") X(SOURCE, "source") X(CUT, "cut") X(DETAIL, "detail") X(UNITS, "units")

enum annotation {
#define X(id, name) SAYS_##id,
    ANNOTATIONS(X)
#undef X
        SAYS_COUNT
};

static const char *const annotation_names[] = {
#define X(id, name) name,
    ANNOTATIONS(X)
#undef X
};

enum { PACKET_BYTES = 1 << 16, SMALL_BYTES = 1 << 13 };

struct perfetto {
    size_t told_bytes;
    bool *told;            /* by name number: the sequence knows it */
    uint32_t *tracks_told; /* by rank index */
    unsigned char packet[PACKET_BYTES], event[PACKET_BYTES / 2], small[SMALL_BYTES], smaller[SMALL_BYTES / 2];
};

static void release(struct wm_converter *c)
{
    struct perfetto *p = c->state;

    if (p != NULL) {
        free(p->told);
        free(p->tracks_told);
    }
    free(p);
}

static struct wm_protobuf message_in(unsigned char *bytes, size_t capacity)
{
    return (struct wm_protobuf){.bytes = bytes, .capacity = capacity};
}

static void put_packet(struct wm_converter *c, const struct wm_protobuf *packet)
{
    unsigned char head[1 + WM_PROTOBUF_VARINT_BYTES] = {TRACE_PACKET << 3 | 2};
    size_t bytes = 1 + wm_protobuf_varint(head + 1, packet->used);

    if (packet->overflow)
        WM_BUG("a packet is too long");
    wm_sink_write(c->output, head, bytes);
    wm_sink_write(c->output, packet->bytes, packet->used);
}

/* A text as long as a packet may hold; whole characters. */
static void put_text(struct wm_protobuf *message, unsigned field, const char *text)
{
    size_t bytes = strlen(text), most = SMALL_BYTES / 8;

    if (bytes > most)
        for (bytes = most; bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80;)
            bytes--;
    wm_protobuf_bytes(message, field, text, bytes);
}

static void put_descriptor(struct wm_converter *c, uint64_t uuid, uint64_t parent, const char *name, unsigned kind,
                           const struct wm_protobuf *part)
{
    struct perfetto *p = c->state;
    struct wm_protobuf packet = message_in(p->packet, sizeof p->packet);
    struct wm_protobuf descriptor = message_in(p->event, sizeof p->event);

    wm_protobuf_unsigned(&descriptor, DESCRIPTOR_UUID, uuid);
    if (parent != 0)
        wm_protobuf_unsigned(&descriptor, DESCRIPTOR_PARENT, parent);
    if (name != NULL)
        put_text(&descriptor, DESCRIPTOR_NAME, name);
    if (part != NULL)
        wm_protobuf_message(&descriptor, kind, part);
    wm_protobuf_unsigned(&packet, PACKET_SEQUENCE_ID, SEQUENCE);
    wm_protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
    put_packet(c, &packet);
}

static uint64_t host_uuid(int host)
{
    return UINT64_C(1) << 63 | (uint64_t)(host + 1);
}

static uint64_t track_uuid(int rank, uint32_t track)
{
    return (uint64_t)track << 32 | (uint64_t)(rank + 1);
}

static int put_host(struct wm_converter *c, int host)
{
    struct perfetto *p = c->state;
    struct wm_protobuf process = message_in(p->small, sizeof p->small);
    char *clean = wm_text_clean(c->hosts[host]), name[256];

    if (clean == NULL)
        return -WM_ENOMEM;
    snprintf(name, sizeof name, "host %s", clean);
    free(clean);
    wm_protobuf_signed(&process, PROCESS_PID, host + 1);
    put_text(&process, PROCESS_NAME, name);
    put_descriptor(c, host_uuid(host), 0, NULL, DESCRIPTOR_PROCESS, &process);
    return 0;
}

/* Threads have numbers of their own: 0 is the idle one. */
static int begin_rank(struct wm_converter *c, int rank_index)
{
    struct perfetto *p = c->state;
    struct wm_protobuf thread = message_in(p->small, sizeof p->small);
    int rank = c->trace->ranks[rank_index].rank, host = c->host_of[rank_index];
    char name[32];

    snprintf(name, sizeof name, "rank %d", rank);
    wm_protobuf_signed(&thread, THREAD_PID, host + 1);
    wm_protobuf_signed(&thread, THREAD_TID, c->host_count + rank + 1);
    put_text(&thread, THREAD_NAME, name);
    put_descriptor(c, track_uuid(rank, 0), host_uuid(host), NULL, DESCRIPTOR_THREAD, &thread);
    p->tracks_told[rank_index] = 1;
    return 0;
}

static void tell_track(struct wm_converter *c, const struct wm_event *event)
{
    struct perfetto *p = c->state;
    int rank = c->trace->ranks[event->rank_index].rank;
    char name[64];

    for (uint32_t *told = &p->tracks_told[event->rank_index]; *told <= event->track; ++*told) {
        snprintf(name, sizeof name, "rank %d, beside (%u)", rank, *told);
        put_descriptor(c, track_uuid(rank, *told), track_uuid(rank, 0), name, 0, NULL);
    }
}

static void put_clock(struct wm_protobuf *snapshot, unsigned char *room, size_t bytes, unsigned id, uint64_t time_ns)
{
    struct wm_protobuf clock = message_in(room, bytes);

    wm_protobuf_unsigned(&clock, CLOCK_ID, id);
    wm_protobuf_unsigned(&clock, CLOCK_TIMESTAMP, time_ns);
    wm_protobuf_message(snapshot, SNAPSHOT_CLOCK, &clock);
}

/* What the wall clock said when the first rank started. */
static void put_clocks(struct wm_converter *c)
{
    struct perfetto *p = c->state;
    struct wm_protobuf packet = message_in(p->packet, sizeof p->packet);
    struct wm_protobuf snapshot = message_in(p->event, sizeof p->event);
    const struct wm_trace_rank *first = &c->trace->ranks[0];

    for (int i = 1; i < c->trace->rank_count; i++)
        if (c->trace->ranks[i].start_ns < first->start_ns)
            first = &c->trace->ranks[i];
    put_clock(&snapshot, p->small, sizeof p->small, BUILTIN_BOOTTIME,
              first->start_ns > 0 ? (uint64_t)first->start_ns : 0);
    put_clock(&snapshot, p->small, sizeof p->small, BUILTIN_REALTIME, first->start.realtime_ns);
    wm_protobuf_unsigned(&packet, PACKET_SEQUENCE_ID, SEQUENCE);
    wm_protobuf_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
    put_packet(c, &packet);
}

static void intern(struct wm_protobuf *interned, struct perfetto *p, unsigned field, uint64_t iid, const char *text)
{
    struct wm_protobuf entry = message_in(p->smaller, sizeof p->smaller);

    wm_protobuf_unsigned(&entry, INTERNED_IID, iid);
    put_text(&entry, INTERNED_TEXT, text);
    wm_protobuf_message(interned, field, &entry);
}

/* The first packet: what stays the same is told once. */
static void put_dictionary(struct wm_converter *c)
{
    struct perfetto *p = c->state;
    struct wm_protobuf packet = message_in(p->packet, sizeof p->packet);
    struct wm_protobuf interned = message_in(p->event, sizeof p->event);

    for (unsigned i = 0; i < WM_CATEGORIES; i++)
        intern(&interned, p, INTERNED_CATEGORY, i + 1, wm_category_name(i));
    for (unsigned i = 0; i < SAYS_COUNT; i++)
        intern(&interned, p, INTERNED_ANNOTATION, i + 1, annotation_names[i]);
    wm_protobuf_unsigned(&packet, PACKET_SEQUENCE_ID, SEQUENCE);
    wm_protobuf_message(&packet, PACKET_INTERNED, &interned);
    wm_protobuf_unsigned(&packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
    put_packet(c, &packet);
}

static int begin(struct wm_converter *c)
{
    struct perfetto *p = c->state = calloc(1, sizeof *p);
    int rc = 0;

    if (p == NULL || (p->tracks_told = calloc((size_t)c->trace->rank_count, sizeof *p->tracks_told)) == NULL)
        return -WM_ENOMEM;
    put_dictionary(c);
    put_clocks(c);
    for (int i = 0; i < c->host_count && rc == 0; i++)
        rc = put_host(c, i);
    return rc;
}

static void say(struct perfetto *p, struct wm_protobuf *event, enum annotation what, int64_t number)
{
    struct wm_protobuf annotation = message_in(p->small, sizeof p->small);

    wm_protobuf_unsigned(&annotation, ANNOTATION_NAME_IID, (uint64_t)what + 1);
    if (what == SAYS_CUT)
        wm_protobuf_unsigned(&annotation, ANNOTATION_BOOL, 1);
    else
        wm_protobuf_signed(&annotation, ANNOTATION_INT, number);
    wm_protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void say_text(struct perfetto *p, struct wm_protobuf *event, enum annotation what, const char *text)
{
    struct wm_protobuf annotation = message_in(p->small, sizeof p->small);

    wm_protobuf_unsigned(&annotation, ANNOTATION_NAME_IID, (uint64_t)what + 1);
    put_text(&annotation, ANNOTATION_STRING, text);
    wm_protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void say_call(struct wm_converter *c, struct wm_protobuf *message, const struct wm_event *event)
{
    struct perfetto *p = c->state;
    int64_t bytes = wm_record_bytes(&event->record);
    int peer = wm_event_peer(c->trace, event);

    if (event->communicator < c->trace->communicator_count) {
        say_text(p, message, SAYS_COMMUNICATOR, c->trace->communicators[event->communicator].name);
        say(p, message, SAYS_SEQUENCE, event->record.sequence);
    }
    if (peer >= 0)
        say(p, message, event->record.kind <= WM_TRACE_LEAVE ? SAYS_ROOT : SAYS_PEER, peer);
    if (bytes >= 0)
        say(p, message, SAYS_BYTES, bytes);
    if (event->record.kind == WM_TRACE_CONVEY_CLOSE)
        say(p, message, SAYS_UNITS, (int64_t)(event->record.argument >> 34));
    if (event->kind == WM_EVENT_POINT && wm_conveyor_word(&event->record)[0] != '\0')
        say_text(p, message, SAYS_DETAIL, wm_conveyor_word(&event->record));
}

/* Tell a name at its first use, in the packet that uses it. */
static int tell_name(struct wm_converter *c, struct wm_protobuf *packet, uint32_t number)
{
    struct perfetto *p = c->state;
    struct wm_protobuf interned = message_in(p->small, sizeof p->small);

    if (number >= p->told_bytes) {
        size_t bytes = 2 * (size_t)number + 64;
        bool *told = realloc(p->told, bytes);

        if (told == NULL)
            return -WM_ENOMEM;
        memset(told + p->told_bytes, 0, bytes - p->told_bytes);
        p->told = told;
        p->told_bytes = bytes;
    }
    if (p->told[number])
        return 0;
    p->told[number] = true;
    intern(&interned, p, INTERNED_NAME, number, wm_names_get(c->names, number)->text);
    wm_protobuf_message(packet, PACKET_INTERNED, &interned);
    return 0;
}

static int put_named(struct wm_converter *c, struct wm_protobuf *packet, struct wm_protobuf *message,
                     const struct wm_event *event)
{
    struct perfetto *p = c->state;
    uint32_t number = wm_names_find(c->names, event->rank_index, &event->record);
    const struct wm_name *name;

    if (number == 0 || tell_name(c, packet, number) < 0)
        return -WM_ENOMEM;
    name = wm_names_get(c->names, number);
    wm_protobuf_unsigned(message, EVENT_CATEGORY_IID, (uint64_t)wm_event_category(&event->record) + 1);
    wm_protobuf_unsigned(message, EVENT_NAME_IID, number);
    if (name->line > 0)
        say(p, message, SAYS_LINE, name->line);
    if (name->source[0] != '\0')
        say_text(p, message, SAYS_SOURCE, name->source);
    say_call(c, message, event);
    return 0;
}

static int put_event(struct wm_converter *c, const struct wm_event *event, unsigned type)
{
    struct perfetto *p = c->state;
    struct wm_protobuf packet = message_in(p->packet, sizeof p->packet);
    struct wm_protobuf message = message_in(p->event, sizeof p->event);
    struct wm_event_message edge;
    bool crosses = wm_record_edge(&event->record) && wm_event_message(c->trace, event, &edge);

    tell_track(c, event);
    wm_protobuf_unsigned(&packet, PACKET_TIMESTAMP, event->time_ns > 0 ? (uint64_t)event->time_ns : 0);
    wm_protobuf_unsigned(&packet, PACKET_SEQUENCE_ID, SEQUENCE);
    wm_protobuf_unsigned(&packet, PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    wm_protobuf_unsigned(&message, EVENT_TYPE, type);
    wm_protobuf_unsigned(&message, EVENT_TRACK, track_uuid(c->trace->ranks[event->rank_index].rank, event->track));
    if (type != SLICE_END && put_named(c, &packet, &message, event) < 0)
        return -WM_ENOMEM;
    if (event->cut)
        say(p, &message, SAYS_CUT, 1);
    if (crosses)
        wm_protobuf_fixed64(&message, event->record.kind == WM_TRACE_SEND_POST ? EVENT_FLOW : EVENT_FLOW_END,
                            wm_event_flow(event, &edge));
    wm_protobuf_message(&packet, PACKET_TRACK_EVENT, &message);
    put_packet(c, &packet);
    return 0;
}

static int take(struct wm_converter *c, const struct wm_event *event)
{
    if (event->kind == WM_EVENT_BEGIN)
        return put_event(c, event, SLICE_BEGIN);
    if (event->kind == WM_EVENT_END)
        return put_event(c, event, SLICE_END);
    if (event->kind == WM_EVENT_FOLDED || wm_event_category(&event->record) == WM_CATEGORY_TRACE ||
        event->record.kind == WM_TRACE_SEND_DONE || event->record.kind == WM_TRACE_RECV_POST)
        return 0;
    return put_event(c, event, INSTANT);
}

const struct wm_converter_class wm_converter_perfetto = {
    .name = "perfetto",
    .suffix = ".perfetto-trace",
    .order = WM_ORDER_RANKS,
    .begin = begin,
    .begin_rank = begin_rank,
    .take = take,
    .end_rank = wm_converter_no_rank,
    .end = wm_converter_no_frame,
    .release = release,
};
