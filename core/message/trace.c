/* Records of messages: of protocols that the map traces, where the job is traced. */
#include "core/message/endpoints.h"
#include "core/process/process.h"

enum { RECEIVE = 1 << 15, NUMBERS = RECEIVE - 1 }; /* of an envelope's `traced` */

static struct wm_recording *owners[NUMBERS + 1]; /* by protocols' numbers */

uint64_t wm_message_trace_now(void)
{
    return wm_process.recordings != NULL ? wm_recorder_now(wm_process.recordings->ring) : 0;
}

static bool is_traced(const struct wm_protocol *p)
{
    for (int near = 0; near < 2; near++)
        for (const struct wm_message_way *way = p->ways[near];; way++) {
            if (way->traced)
                return true;
            if (way->most_bytes == SIZE_MAX)
                break;
        }
    return false;
}

/* That of the endpoint, where each subrank is one. */
static struct wm_recording *recording_of(int endpoint)
{
    int sibling = endpoint - wm_process.world_rank;

    return (unsigned)sibling < (unsigned)wm_process.each ? &wm_process.recordings[sibling] : wm_process.recordings;
}

void wm_message_trace_open(struct wm_protocol *p)
{
    static uint16_t numbers;

    if (wm_process.recordings == NULL || !is_traced(p) || numbers == NUMBERS)
        return;
    p->traced = ++numbers;
    owners[p->traced] = recording_of(p->self);
    wm_recording_define(owners[p->traced],
                        json_pack("{ss, si, ss, si, si}", "define", "protocol", "protocol", p->traced, "name",
                                  p->context->name, "endpoint", p->self, "endpoints", p->context->endpoints));
}

static void record(uint16_t traced, enum wm_trace_kind kind, int flags, uint16_t node, int peer, size_t sequence,
                   uint64_t argument)
{
    const struct wm_recording *recording = wm_process.recordings != NULL ? owners[traced & NUMBERS] : NULL;

    if (recording != NULL && wm_recorder_wants(recording->ring, kind))
        wm_record(recording->ring, kind, (uint8_t)flags, node, traced & NUMBERS, peer,
                  sequence < UINT32_MAX ? (uint32_t)sequence : UINT32_MAX, argument);
}

/* Those of collectives are known by their own records. */
static bool is_users(const struct wm_protocol *p, const struct wm_envelope *e)
{
    const char *header = (const char *)e - p->message_offset + sizeof(struct wm_match);

    return p->group->limits.holds == NULL || p->group->limits.holds(header);
}

static const struct wm_message_way *way_to(const struct wm_protocol *p, int endpoint, size_t bytes)
{
    bool there = (unsigned)endpoint < (unsigned)p->group->count;

    return wm_protocol_way(p, !there || wm_endpoint_is_near(p->group, endpoint), bytes);
}

void wm_message_trace_send(const struct wm_protocol *p, struct wm_envelope *e)
{
    const struct wm_message_way *way = way_to(p, e->peer, e->bytes);

    if (!way->traced || !is_users(p, e))
        return;
    e->traced = p->traced;
    record(e->traced, WM_TRACE_MESSAGE_POST, 0, way->trace_node, e->peer, 0, e->bytes);
}

void wm_message_trace_receive(const struct wm_protocol *p, struct wm_envelope *e)
{
    if (!is_users(p, e))
        return;
    e->traced = p->traced | RECEIVE;
    e->whole = wm_message_trace_now();
    record(e->traced, WM_TRACE_MESSAGE_POST, 1, 0, -1, 0, e->bytes);
}

/* Of a copy the fields are those of its sender's envelope. */
void wm_message_trace_kept(const struct wm_protocol *p, struct wm_envelope *e, uint64_t copied_from)
{
    const struct wm_message_way *way = way_to(p, e->sender, e->bytes);
    bool copied = e->place == WM_ENVELOPE_UNEXPECTED;

    e->whole = wm_message_trace_now();
    if (way->traced && is_users(p, e))
        record(p->traced, WM_TRACE_MESSAGE_KEPT, copied ? WM_TRACE_MET_COPY : WM_TRACE_MET_HEADER, way->trace_node,
               e->sender, 0, WM_TRACE_KEPT(copied ? e->whole - copied_from : 0, e->bytes));
}

static enum wm_trace_met met_of(const struct wm_envelope *message)
{
    switch ((enum wm_envelope_place)message->place) {
    case WM_ENVELOPE_UNEXPECTED:
        return WM_TRACE_MET_COPY;
    case WM_ENVELOPE_UNREQUESTED:
    case WM_ENVELOPE_TAKEN:
    case WM_ENVELOPE_ANNOUNCED:
        return WM_TRACE_MET_HEADER;
    default:
        return WM_TRACE_MET_EXPECTED;
    }
}

/* What the map does not trace of the protocol is known of a receive no sooner than now. */
void wm_message_trace_match(const struct wm_protocol *p, struct wm_envelope *receive, const struct wm_envelope *message)
{
    const struct wm_message_way *way = way_to(p, message->sender, message->bytes);
    enum wm_trace_met met = met_of(message);
    size_t since = met == WM_TRACE_MET_EXPECTED ? receive->whole : message->whole;

    if (way->traced)
        record(p->traced, WM_TRACE_MESSAGE_MATCH, (int)met, way->trace_node, message->sender, message->bytes,
               wm_message_trace_now() - since);
    else
        receive->traced = 0;
}

void wm_message_trace_done(const struct wm_envelope *e)
{
    record(e->traced, WM_TRACE_MESSAGE_DONE, (e->traced & RECEIVE) != 0, 0, e->peer, 0, e->bytes);
}
