/* Passages: what cannot be written yet, and data that streams. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/message/far.h"

struct wm_passage *wm_passage_new(struct wm_far *far, struct wm_wire_peer *peer)
{
    struct wm_passage *f = far->idle;

    if (f != NULL)
        far->idle = f->next;
    else
        f = wm_allocate(sizeof *f, "messages");
    *f = (struct wm_passage){.peer = peer};
    return f;
}

struct wm_passage *wm_passage_begin(struct wm_protocol *p, struct wm_envelope *e, struct wm_wire_peer *peer)
{
    struct wm_passage *f = wm_passage_new(p->group->far, peer);

    f->p = p;
    f->e = e;
    wm_match_insert(&f->link, &p->passages);
    return f;
}

void wm_passage_end(struct wm_far *far, struct wm_passage *f, int error)
{
    if (f->e != NULL) {
        f->link.previous->next = f->link.next;
        f->link.next->previous = f->link.previous;
        if (f->e->place == WM_ENVELOPE_SENT)
            wm_envelope_complete(f->e, error);
    }
    free(f->memory);
    f->next = far->idle;
    far->idle = f;
}

static void append(struct wm_passages *list, struct wm_passage *f)
{
    f->next = NULL;
    *list->end = f;
    list->end = &f->next;
}

static struct wm_passage *pop(struct wm_passages *list)
{
    struct wm_passage *f = list->first;

    if ((list->first = f->next) == NULL)
        list->end = &list->first;
    return f;
}

static void make_busy(struct wm_far *far, struct wm_wire_peer *peer)
{
    if (!peer->is_busy)
        far->busy[far->busy_count++] = peer;
    peer->is_busy = true;
}

/* The data that does not fit into the message's own line. */
static bool write_parts(struct wm_far *far, struct wm_passage *f)
{
    const struct wm_line_head head = {.kind = WM_LINE_PART, .bytes = f->head.bytes};
    struct wm_line_body *body = &f->body;

    while (body->first_bytes + body->second_bytes > WM_LINE_BODY_BYTES) {
        size_t moved = wm_wire_write_data(&far->wire, f->peer, &head, body->second, body->second_bytes);

        if (moved == 0)
            return false;
        body->second = (const char *)body->second + moved;
        body->second_bytes -= moved;
    }
    return true;
}

static bool write_line(struct wm_far *far, struct wm_passage *f)
{
    if (!write_parts(far, f) || !wm_wire_write(&far->wire, f->peer, &f->head, &f->body))
        return false;
    if (!f->waits)
        wm_passage_end(far, f, WM_MESSAGE_DONE);
    return true;
}

void wm_passage_write(struct wm_far *far, struct wm_passage *f)
{
    if (f->peer->queue.first == NULL && write_line(far, f))
        return;
    append(&f->peer->queue, f);
    make_busy(far, f->peer);
}

void wm_passage_stream(struct wm_far *far, struct wm_passage *f, size_t bytes, uint64_t record)
{
    f->bytes = bytes;
    f->record = record;
    append(&f->peer->streams, f);
    make_busy(far, f->peer);
}

void wm_far_say(struct wm_far *far, struct wm_wire_peer *peer, const struct wm_line_head *head,
                const struct wm_line_body *body)
{
    struct wm_passage *f;

    if (peer->queue.first == NULL && wm_wire_write(&far->wire, peer, head, body))
        return;
    f = wm_passage_new(far, peer);
    f->head = *head;
    if (body->first_bytes > 0) {
        f->memory = memcpy(wm_allocate(body->first_bytes, "messages"), body->first, body->first_bytes);
        f->body = (struct wm_line_body){.first = f->memory, .first_bytes = body->first_bytes};
    }
    wm_passage_write(far, f);
}

static bool write_queue(struct wm_far *far, struct wm_wire_peer *peer)
{
    bool moved = false;

    while (peer->queue.first != NULL) {
        struct wm_passage *f = pop(&peer->queue);

        if (!write_line(far, f)) {
            f->next = peer->queue.first;
            if (f->next == NULL)
                peer->queue.end = &f->next;
            peer->queue.first = f;
            break;
        }
        moved = true;
    }
    return moved;
}

/* One piece of each peer's first stream at a time. */
static bool write_stream(struct wm_far *far, struct wm_wire_peer *peer)
{
    struct wm_passage *f = peer->streams.first;
    struct wm_line_head head = {.kind = WM_LINE_DATA};
    size_t moved;

    if (f == NULL)
        return false;
    head.record = f->record;
    moved = wm_wire_write_data(&far->wire, peer, &head, f->data + f->moved, f->bytes - f->moved);
    f->moved += moved;
    if (f->moved == f->bytes)
        wm_passage_end(far, pop(&peer->streams), WM_MESSAGE_DONE);
    return moved > 0;
}

bool wm_far_write_waiting(struct wm_far *far)
{
    bool moved = false;

    for (int i = 0; i < far->busy_count;) {
        struct wm_wire_peer *peer = far->busy[i];

        moved |= write_queue(far, peer);
        moved |= write_stream(far, peer);
        if (peer->queue.first != NULL || peer->streams.first != NULL) {
            i++;
        } else {
            peer->is_busy = false;
            far->busy[i] = far->busy[--far->busy_count];
        }
    }
    return moved;
}
