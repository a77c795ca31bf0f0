/* Sends to other processes. */
#include <stdlib.h>
#include <string.h>
#include "core/message/delay.h"
#include "core/message/far.h"

/* Before its first message a process is told the protocol's number, name and headers. */
static void tell_name(struct wm_protocol *p, struct wm_wire_peer *peer)
{
    struct wm_context *context = p->context;
    struct wm_line_head head = {.context = context->number,
                                .sender = p->self,
                                .kind = WM_LINE_NAME,
                                .header_bytes = (uint16_t)context->header_bytes};
    struct wm_line_body body = {.first = context->name, .first_bytes = strlen(context->name) + 1};

    context->named[peer->number] = true;
    wm_far_say(p->group->far, peer, &head, &body);
}

/* Its data goes at once. In a line; between nodes, where an answer takes long, also in parts, by a promise, or as long
 * as what was sent without one since the last answer could be promised. */
static bool goes_along(const struct wm_protocol *p, const struct wm_envelope *e, const struct wm_wire_peer *peer,
                       size_t eager_below)
{
    const struct wm_room *room = &p->rooms[e->peer];
    size_t copy_bytes = wm_protocol_copy_bytes(p, e->bytes);

    if (e->rendezvous || e->bytes >= eager_below)
        return false;
    return p->header_bytes + e->bytes <= WM_LINE_BODY_BYTES ||
           (!peer->near && (copy_bytes <= room->bytes || room->risked + copy_bytes <= p->share_bytes));
}

/* The message waits for an answer. */
static void send_with_record(struct wm_passage *f)
{
    f->waits = true;
    f->head.record = (uint64_t)(uintptr_t)f;
    f->data = f->e->buffer;
    f->e->record = f->head.record;
}

static void announce(struct wm_passage *f)
{
    f->head.kind = WM_LINE_ANNOUNCE;
    f->head.bytes = f->e->bytes;
    f->word = (uint64_t)(uintptr_t)f->e->buffer;
    f->body.second = &f->word;
    f->body.second_bytes = sizeof f->word;
    send_with_record(f);
}

/* It cannot be over at once: its line has to wait, or it is not `along`, or wants an answer. */
static void begin(struct wm_protocol *p, struct wm_envelope *e, struct wm_wire_peer *peer,
                  const struct wm_line_head *head, const struct wm_line_body *body, bool along, bool answered)
{
    struct wm_room *room = &p->rooms[e->peer];
    struct wm_passage *f = wm_passage_begin(p, e, peer);

    f->head = *head;
    f->body = *body;
    e->place = WM_ENVELOPE_SENT;
    e->record = 0;
    if (!along) {
        announce(f);
    } else if (answered) {
        f->asks = !room->asked;
        *room = (struct wm_room){0, true, room->risked + wm_protocol_copy_bytes(p, e->bytes)};
        send_with_record(f);
    }
    wm_passage_write(p->group->far, f);
}

int wm_far_send(struct wm_protocol *p, struct wm_envelope *e, const void *header)
{
    struct wm_far *far = p->group->far;
    struct wm_wire_peer *peer = wm_far_peer(far, e->peer);
    const struct wm_message_way *way = wm_protocol_way(p, peer->near, e->bytes);
    struct wm_room *room = &p->rooms[e->peer];
    bool along = goes_along(p, e, peer, way->eager_below);
    size_t copy_bytes = wm_protocol_copy_bytes(p, e->bytes);
    bool answered = room->bytes < copy_bytes;
    struct wm_line_head head = {.context = p->context->number,
                                .sender = p->self,
                                .receiver = e->peer,
                                .kind = WM_LINE_EAGER,
                                .number = e->number,
                                .header_bytes = (uint16_t)p->header_bytes,
                                .bytes = e->bytes};
    struct wm_line_body body = {header, e->buffer, p->header_bytes, along ? e->bytes : 0};

    if (way->by_mpi)
        peer = wm_wire_peer_by_mpi(&far->wire, peer);
    if (!p->context->named[peer->number])
        tell_name(p, peer);
    if (__builtin_expect(way->delay != NULL, 0))
        wm_held_announce(p, e, header, way->delay, peer);
    if (along && !answered) {
        room->bytes -= copy_bytes;
        if (peer->queue.first == NULL && body.first_bytes + body.second_bytes <= WM_LINE_BODY_BYTES &&
            wm_wire_gather(&far->wire, peer, &head, &body, way->gather_bytes))
            return wm_envelope_complete(e, WM_MESSAGE_DONE);
    }
    begin(p, e, peer, &head, &body, along, answered);
    return WM_MESSAGE_DONE;
}

void wm_protocol_cancel_away(struct wm_protocol *p, struct wm_envelope *e)
{
    struct wm_passage *f = (struct wm_passage *)(uintptr_t)e->record;
    struct wm_line_head head = {.context = p->context->number,
                                .sender = p->self,
                                .receiver = e->peer,
                                .kind = WM_LINE_CANCEL,
                                .record = e->record};

    if (f != NULL)
        wm_far_say(p->group->far, f->peer, &head, &(struct wm_line_body){0});
}

/* Records are addresses of passages, as this process gave them out. */
static struct wm_passage *passage_of(const struct wm_wire_line *line)
{
    return (struct wm_passage *)(uintptr_t)line->head.record;
}

/* The receiver has answered with a promise, which is one to a message that asks. */
static void set_room(struct wm_passage *f, size_t bytes)
{
    struct wm_room *room = &f->p->rooms[f->e->peer];

    if (f->asks)
        *room = (struct wm_room){.bytes = bytes};
    room->risked = bytes > 0 ? 0 : f->p->share_bytes;
}

void wm_far_granted(struct wm_far *far, const struct wm_wire_line *line)
{
    struct wm_passage *f = passage_of(line);
    struct wm_grant grant;

    memcpy(&grant, line->body, sizeof grant);
    set_room(f, grant.promise);
    wm_passage_stream(far, f, line->head.bytes, grant.record);
}

void wm_far_done(struct wm_far *far, const struct wm_wire_line *line)
{
    struct wm_passage *f = passage_of(line);

    set_room(f, line->head.bytes);
    wm_passage_end(far, f, WM_MESSAGE_DONE);
}

void wm_far_refused(struct wm_far *far, const struct wm_wire_line *line)
{
    struct wm_passage *f = passage_of(line);
    struct wm_context *context = f->p->context;

    set_room(f, 0);
    if (line->head.number == WM_MESSAGE_UNKNOWN) {
        free(context->elsewhere);
        context->elsewhere = strdup(line->body);
    }
    if (line->head.number == WM_MESSAGE_HEADER)
        context->elsewhere_bytes = line->head.bytes;
    wm_passage_end(far, f, line->head.number);
}

void wm_far_settle(struct wm_protocol *p)
{
    unsigned turn = 0;

    for (struct wm_match_link *link = p->passages.next; link != &p->passages; link = link->next) {
        struct wm_envelope *e = ((struct wm_passage *)link)->e;

        if (e->place == WM_ENVELOPE_SENT)
            wm_protocol_cancel_away(p, e);
    }
    while (p->passages.next != &p->passages)
        wm_endpoints_rest(p->group, &turn);
}
