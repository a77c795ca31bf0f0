/* Messages that come from other processes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/message/delay.h"
#include "core/message/far.h"
#include "core/node/single_copy.h"

/* So much may the sender send without asking. Half of the limit is for what came by such promises, of which each other
 * endpoint has one share, and half for the rest. */
static size_t promise(const struct wm_protocol *p)
{
    return p->kept_bytes <= p->limit_bytes ? p->share_bytes : 0;
}

void wm_far_say_done(const struct wm_protocol *p, int sender, uint64_t record)
{
    struct wm_far *far = p->group->far;
    struct wm_line_head head = {.kind = WM_LINE_DONE, .record = record, .bytes = promise(p)};

    if (record != 0)
        wm_far_say(far, wm_far_peer(far, sender), &head, &(struct wm_line_body){0});
}

/* What the receive takes of the message's bytes. */
static size_t wanted(const struct wm_envelope *receive, const struct wm_envelope *message)
{
    size_t from_bytes, sent, room;

    if (!wm_envelope_converts(receive, message))
        return message->bytes < receive->bytes ? message->bytes : receive->bytes;
    from_bytes = wm_number_bytes(message->number);
    sent = message->bytes / from_bytes;
    room = receive->bytes / wm_number_bytes(receive->number);
    return (sent < room ? sent : room) * from_bytes;
}

/* All that is wanted is at `data`. */
static void land(struct wm_envelope *receive, const struct wm_envelope *message, char *data)
{
    struct wm_envelope here = *message;

    here.buffer = data;
    if (wm_envelope_converts(receive, message))
        wm_envelope_convert(receive, &here);
    else
        wm_envelope_received(receive, here.sender, wanted(receive, message), here.bytes, here.number);
}

static bool read_at_once(const struct wm_protocol *p, const struct wm_wire_peer *peer,
                         const struct wm_envelope *message, char *data, size_t bytes)
{
    size_t least = wm_protocol_way(p, true, message->bytes)->single_copy_bytes;

    if (!peer->near || message->buffer == NULL || bytes < (least != 0 ? least : p->group->far->single_copy_bytes))
        return false;
    if (wm_single_copy_read(peer->id, (uint64_t)(uintptr_t)message->buffer, data, bytes))
        return true;
    wm_node_tell_single_copy(errno);
    return false;
}

/* Ask for the data. */
static void grant(struct wm_protocol *p, struct wm_envelope *receive, const struct wm_envelope *message,
                  struct wm_wire_peer *peer, char *data, size_t bytes)
{
    struct wm_passage *f = wm_passage_begin(p, receive, peer);

    receive->place = WM_ENVELOPE_MOVING;
    f->message = *message;
    f->data = data;
    f->memory = data != receive->buffer ? data : NULL;
    f->bytes = bytes;
    f->waits = true;
    f->grant = (struct wm_grant){(uint64_t)(uintptr_t)f, promise(p)};
    f->head = (struct wm_line_head){.kind = WM_LINE_GRANT, .record = message->record, .bytes = bytes};
    f->body = (struct wm_line_body){.first = &f->grant, .first_bytes = sizeof f->grant};
    wm_passage_write(p->group->far, f);
}

void wm_protocol_fetch(struct wm_protocol *p, struct wm_envelope *receive, const struct wm_envelope *message)
{
    struct wm_far *far = p->group->far;
    struct wm_wire_peer *peer = wm_far_peer(far, message->sender);
    size_t bytes = wanted(receive, message);
    bool converts = wm_envelope_converts(receive, message);
    char *data = converts ? wm_allocate(bytes, "a message") : receive->buffer;

    if (bytes > 0 && !read_at_once(p, peer, message, data, bytes)) {
        grant(p, receive, message, peer, data, bytes);
        return;
    }
    land(receive, message, data);
    if (converts)
        free(data);
    wm_far_say_done(p, message->sender, message->record);
}

void wm_far_data(struct wm_far *far, const struct wm_wire_line *line)
{
    struct wm_passage *f = (struct wm_passage *)(uintptr_t)line->head.record;

    memcpy(f->data + f->moved, line->body, line->body_bytes);
    f->moved += line->body_bytes;
    if (f->moved < f->bytes)
        return;
    land(f->e, &f->message, f->data);
    wm_passage_end(far, f, WM_MESSAGE_DONE);
}

void wm_protocol_take_arrival(struct wm_protocol *p, struct wm_envelope *receive, const struct wm_arrival *a)
{
    if (receive->traced != 0)
        wm_message_trace_match(p, receive, &a->message);
    if (!a->along) {
        wm_protocol_fetch(p, receive, &a->message);
        return;
    }
    wm_envelope_deliver(receive, &a->message);
    wm_far_say_done(p, a->message.sender, a->message.record);
}

/* Data for which no memory is left stays with its sender, which has kept it, since it wants an answer. */
void *wm_protocol_keep_arrival(struct wm_protocol *p, const struct wm_arrival *a)
{
    bool copies = a->along && (a->message.record == 0 ||
                               p->kept_bytes + wm_protocol_copy_bytes(p, a->message.bytes) <= p->limit_bytes);
    size_t envelope_bytes = p->message_offset + sizeof a->message;
    uint64_t from = p->traced != 0 ? wm_message_trace_now() : 0;
    char *kept = copies ? wm_protocol_keep(p, a->message.bytes) : malloc(envelope_bytes);
    struct wm_envelope *e;

    if (kept == NULL)
        return NULL;
    memcpy(kept + sizeof(struct wm_match), a->header, p->header_bytes);
    e = (struct wm_envelope *)(void *)(kept + p->message_offset);
    *e = a->message;
    e->place = copies ? WM_ENVELOPE_UNEXPECTED : WM_ENVELOPE_ANNOUNCED;
    e->buffer = copies ? kept + envelope_bytes : a->along ? NULL : a->message.buffer;
    if (copies && e->bytes > 0)
        memcpy(e->buffer, a->message.buffer, e->bytes);
    if (p->traced != 0)
        wm_message_trace_kept(p, e, from);
    return kept;
}

void wm_protocol_kept_arrival(struct wm_protocol *p, const struct wm_envelope *kept)
{
    if (kept->place != WM_ENVELOPE_UNEXPECTED)
        return;
    p->kept_bytes += wm_protocol_copy_bytes(p, kept->bytes);
    if (p->kept_bytes > p->tell_bytes)
        wm_protocol_tell_kept(p);
    wm_far_say_done(p, kept->sender, kept->record);
}

static void say_refused(struct wm_far *far, struct wm_wire_peer *peer, uint64_t record, enum wm_message_error error,
                        size_t header_bytes, const char *knows)
{
    struct wm_line_head head = {
        .kind = WM_LINE_REFUSE, .number = (uint8_t)error, .record = record, .bytes = header_bytes};
    struct wm_line_body body = {.first = knows, .first_bytes = strlen(knows) + 1};

    if (record != 0)
        wm_far_say(far, peer, &head, &body);
}

void wm_far_refuse(const struct wm_protocol *p, const struct wm_envelope *announced, enum wm_message_error error)
{
    say_refused(p->group->far, wm_far_peer(p->group->far, announced->sender), announced->record, error, 0, "");
}

/* The endpoint does not know the protocol, or with another header: both ends hear of it. */
static void refuse(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line,
                   struct wm_context *context, enum wm_message_error error)
{
    char knows[256], sentence[600];

    wm_endpoint_list(group, line->head.receiver, knows, sizeof knows);
    say_refused(group->far, peer, line->head.record, error, context->header_bytes, knows);
    if (context->told || group->limits.tell == NULL)
        return;
    context->told = true;
    if (error == WM_MESSAGE_HEADER)
        snprintf(sentence, sizeof sentence,
                 "endpoint %d sends by '%s' with headers of %u bytes, but endpoint %d has them of %zu",
                 line->head.sender, context->name, line->head.header_bytes, line->head.receiver, context->header_bytes);
    else
        snprintf(sentence, sizeof sentence,
                 "endpoint %d sends by the protocol '%s', which endpoint %d does not know (it knows: %s)",
                 line->head.sender, context->name, line->head.receiver, knows);
    group->limits.tell(sentence);
}

static struct wm_context *context_of(const struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    return peer->contexts[line->head.context];
}

struct wm_protocol *wm_far_receiver(const struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    return context_of(peer, line)->opened[line->head.receiver];
}

static struct wm_arrival arrival_of(const struct wm_wire_line *line)
{
    uint64_t address;
    struct wm_arrival a = {.header = line->body,
                           .along = line->head.kind == WM_LINE_EAGER,
                           .message = {.buffer = (void *)(uintptr_t)line->data,
                                       .bytes = line->head.bytes,
                                       .number = line->head.number,
                                       .sender = line->head.sender,
                                       .record = line->head.record}};

    if (!a.along) {
        memcpy(&address, line->data, sizeof address);
        a.message.buffer = (void *)(uintptr_t)address;
    }
    return a;
}

bool wm_far_message(struct wm_endpoints *group, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    struct wm_context *context = context_of(peer, line);
    struct wm_protocol *p = wm_far_receiver(peer, line);
    struct wm_arrival a;

    if (p == NULL || context->header_bytes != line->head.header_bytes) {
        refuse(group, peer, line, context, p == NULL ? WM_MESSAGE_UNKNOWN : WM_MESSAGE_HEADER);
        return true;
    }
    a = arrival_of(line);
    return p->come(p, &a);
}

void wm_far_cancelled(struct wm_far *far, struct wm_wire_peer *peer, const struct wm_wire_line *line)
{
    struct wm_protocol *p = wm_far_receiver(peer, line);
    struct wm_match *at = p != NULL ? wm_protocol_find_announced(p, line->head.sender, line->head.record) : NULL;

    if (at == NULL) {
        wm_held_cancel(far, p, line);
        return;
    }
    wm_arrived_remove(&p->unexpected, at);
    wm_far_refuse(p, (struct wm_envelope *)(void *)((char *)at + p->message_offset), WM_MESSAGE_CANCELLED);
    free(at);
}
