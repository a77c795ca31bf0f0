/* Messages: what a protocol's functions have inlined. */
#ifndef WM_MESSAGE_INLINE_H
#define WM_MESSAGE_INLINE_H

#include "waymark/message.h"

#define WM_MESSAGE_INLINE WM_MATCHING_INLINE

/* An envelope is complete. Returns its error. */
WM_MESSAGE_INLINE int wm_envelope_complete(struct wm_envelope *e, int error)
{
    e->place = WM_ENVELOPE_FREE;
    e->error = (unsigned char)error;
    e->complete = true;
    if (__builtin_expect(e->traced != 0, 0))
        wm_message_trace_done(e);
    if (__builtin_expect(e->notify != NULL, 0))
        wm_envelope_notify(e);
    return error;
}

/* An envelope is to be sent or to receive: false, if it is under way already. */
WM_MESSAGE_INLINE bool wm_envelope_begin(struct wm_envelope *e, int self)
{
    if (__builtin_expect(e->place != WM_ENVELOPE_FREE, 0)) {
        e->error = WM_MESSAGE_BUSY;
        return false;
    }
    e->complete = false;
    e->error = WM_MESSAGE_DONE;
    e->traced = 0;
    e->notify = NULL;
    e->sender = self;
    return true;
}

/* The numbers of a message are of another type than its receive's. */
WM_MESSAGE_INLINE bool wm_envelope_converts(const struct wm_envelope *receive, const struct wm_envelope *message)
{
    return __builtin_expect(receive->number != message->number, 0) && receive->number != WM_BYTES &&
           message->number != WM_BYTES;
}

/* A receive has got `bytes` of a message's `whole`, which is a send's, or a copy. */
WM_MESSAGE_INLINE void wm_envelope_received(struct wm_envelope *receive, int sender, size_t bytes, size_t whole,
                                            unsigned char number)
{
    receive->sent = number;
    receive->whole = whole;
    receive->bytes = bytes;
    receive->peer = sender;
    wm_envelope_complete(receive, bytes == whole ? WM_MESSAGE_DONE : WM_MESSAGE_TRUNCATED);
}

WM_MESSAGE_INLINE void wm_message_move(void *to, const void *from, size_t bytes)
{
    if (bytes == sizeof(uint64_t)) /* the most frequent of all */
        memcpy(to, from, sizeof(uint64_t));
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

/* The same of bytes that are copied. */
WM_MESSAGE_INLINE void wm_envelope_hand(struct wm_envelope *receive, int sender, const void *data, size_t bytes,
                                        unsigned char number)
{
    size_t fits = bytes < receive->bytes ? bytes : receive->bytes;

    wm_message_move(receive->buffer, data, fits);
    wm_envelope_received(receive, sender, fits, bytes, number);
}

/* A receive takes a message: a send's, or a copy. */
WM_MESSAGE_INLINE void wm_envelope_deliver(struct wm_envelope *receive, const struct wm_envelope *message)
{
    if (wm_envelope_converts(receive, message))
        wm_envelope_convert(receive, message);
    else
        wm_envelope_hand(receive, message->sender, message->buffer, message->bytes, message->number);
}

/* A sibling's part of the protocol; NULL: it has none, or the peer is no sibling. */
WM_MESSAGE_INLINE void *wm_protocol_sibling(const struct wm_protocol *p, int peer)
{
    return (unsigned)peer < (unsigned)p->context->endpoints ? p->context->opened[peer] : NULL;
}

/* What a copy of so many bytes takes. */
WM_MESSAGE_INLINE size_t wm_protocol_copy_bytes(const struct wm_protocol *p, size_t bytes)
{
    return p->message_offset + sizeof(struct wm_envelope) + bytes;
}

/* How a message of so many bytes goes. */
WM_MESSAGE_INLINE const struct wm_message_way *wm_protocol_way(const struct wm_protocol *p, bool near, size_t bytes)
{
    const struct wm_message_way *way = p->ways[near];

    while (__builtin_expect(bytes > way->most_bytes, 0))
        way++;
    return way;
}

/* A message has come that no receive waits for. */
WM_MESSAGE_INLINE void wm_protocol_come_unexpected(struct wm_protocol *p)
{
    if (__builtin_expect(p->notify != NULL, 0))
        wm_protocol_notify(p);
}

/* A message that no receive waits for is copied, if it is small, and if there is room for it. */
WM_MESSAGE_INLINE bool wm_protocol_copies(const struct wm_protocol *p, const struct wm_envelope *e)
{
    return !e->rendezvous && e->bytes < wm_protocol_way(p, true, e->bytes)->eager_below &&
           p->kept_bytes + wm_protocol_copy_bytes(p, e->bytes) <= p->limit_bytes;
}

/* Memory for an envelope and a copy of so many bytes behind its `message`; NULL: there is none. */
WM_MESSAGE_INLINE void *wm_protocol_keep(struct wm_protocol *p, size_t bytes)
{
    struct wm_match_link *idle = p->idle;

    if (bytes > WM_MESSAGE_SHORT_BYTES || __builtin_expect(idle == NULL, 0))
        return malloc(p->message_offset + sizeof(struct wm_envelope) +
                      (bytes > WM_MESSAGE_SHORT_BYTES ? bytes : WM_MESSAGE_SHORT_BYTES));
    p->idle = idle->next;
    p->idle_count--;
    return idle;
}

/* It is no longer needed. */
WM_MESSAGE_INLINE void wm_protocol_let_go(struct wm_protocol *p, void *kept, size_t bytes)
{
    struct wm_match_link *link = (struct wm_match_link *)kept;

    if (bytes > WM_MESSAGE_SHORT_BYTES || p->idle_count == WM_MESSAGE_IDLE) {
        free(kept);
        return;
    }
    link->next = p->idle;
    p->idle = link;
    p->idle_count++;
}

/* What kept an envelope out of a matching. */
WM_MESSAGE_INLINE int wm_message_refusal(int refusal)
{
    return refusal == WM_MATCHING_FULL   ? WM_MESSAGE_FULL
           : refusal == WM_MATCHING_FORM ? WM_MESSAGE_FORM
           : refusal == WM_MATCHING_OPEN ? WM_MESSAGE_WILD
                                         : WM_MESSAGE_MEMORY;
}

/* What the receiver keeps of a message that has arrived, and frees. */
WM_MESSAGE_INLINE bool wm_envelope_is_kept(const struct wm_envelope *e)
{
    return e->place == WM_ENVELOPE_UNEXPECTED || e->place == WM_ENVELOPE_ANNOUNCED;
}

#endif
