/* The net over shared memory: records of messages, and their lines, written at once or when the ring has room. */
#include <stdlib.h>
#include <string.h>
#include "core/data/allocate.h"
#include "core/net/shm_state.h"

/* Room for one more ticket than there will ever be at once. */
static void reserve(struct wm_shm_net *n)
{
    struct wm_ticket *tickets;
    int room = n->room > 0 ? 2 * n->room : 32;

    if (n->pending + n->complete < n->room)
        return;
    tickets = wm_allocate(sizeof *tickets * (size_t)room, "messages");
    for (int i = 0; i < n->complete; i++)
        tickets[i] = n->tickets[(n->first + i) % n->room];
    free(n->tickets);
    n->tickets = tickets;
    n->first = 0;
    n->room = room;
}

struct wm_shm_record *wm_shm_record_new(struct wm_shm_net *n, struct wm_shm_peer *p, const struct wm_message *m,
                                        struct wm_ticket ticket)
{
    struct wm_shm_record *r = n->idle;

    reserve(n);
    if (r != NULL)
        n->idle = r->next;
    else
        r = wm_allocate(sizeof *r, "messages");
    *r = (struct wm_shm_record){.ticket = ticket, .tag = m->tag, .data = m->address, .bytes = m->bytes};
    r->ticket.error = MPI_SUCCESS;
    r->type = MPI_DATATYPE_NULL;
    p->pending++;
    n->pending++;
    if (!p->listed)
        n->polled[n->polled_count++] = (int)(p - n->peers);
    p->listed = true;
    return r;
}

void wm_shm_retire(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r)
{
    free(r->packed);
    r->next = n->idle;
    n->idle = r;
    p->pending--;
    n->pending--;
}

void wm_shm_complete(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r)
{
    n->tickets[(n->first + n->complete++) % n->room] = r->ticket;
    wm_shm_retire(n, p, r);
}

bool wm_shm_write_eager(struct wm_ring_writer *out, int tag, const char *data, size_t bytes)
{
    struct wm_ring_line *line = wm_ring_begin(out);
    bool inside = bytes <= WM_RING_INLINE_BYTES;
    char *payload;

    if (line == NULL)
        return false;
    if (inside) {
        payload = line->data.bytes;
    } else {
        if ((payload = wm_ring_payload(out, bytes)) == NULL)
            return false;
        line->data.words[0] = wm_ring_offset(out, payload);
    }
    if (bytes > 0)
        memcpy(payload, data, bytes);
    line->label = (struct wm_ring_label){tag, inside ? WM_SHM_INLINE : WM_SHM_EAGER, (uint32_t)bytes & 0xfffffff};
    wm_ring_write(out, line);
    return true;
}

/* A line that says something of a message. */
static bool write_words(struct wm_ring_writer *out, const struct wm_shm_record *r, uint64_t first, uint64_t second,
                        uint64_t third)
{
    struct wm_ring_line *line = wm_ring_begin(out);

    if (line == NULL)
        return false;
    line->label = (struct wm_ring_label){r->tag, r->kind & 0xf, 0};
    line->data.words[0] = first;
    line->data.words[1] = second;
    line->data.words[2] = third;
    wm_ring_write(out, line);
    return true;
}

/* False: the ring is full. */
static bool write_line(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r)
{
    switch ((enum wm_shm_kind)r->kind) {
    case WM_SHM_LARGE:
        return write_words(&p->out, r, r->bytes, (uintptr_t)r, r->single ? (uintptr_t)r->data : 0);
    case WM_SHM_GRANT:
        return write_words(&p->out, r, r->other, r->bytes, (uintptr_t)r);
    case WM_SHM_ACK:
        if (!write_words(&p->out, r, r->other, 0, 0))
            return false;
        wm_shm_received(n, p, r);
        return true;
    default:
        if (!wm_shm_write_eager(&p->out, r->tag, r->data, r->bytes))
            return false;
        wm_shm_complete(n, p, r);
        return true;
    }
}

void wm_shm_enqueue(struct wm_shm_net *n, struct wm_shm_peer *p, struct wm_shm_record *r)
{
    if (p->queue.first != NULL || !write_line(n, p, r))
        wm_shm_append(&p->queue, r);
}

bool wm_shm_flush(struct wm_shm_net *n, struct wm_shm_peer *p)
{
    bool moved = false;

    while (p->queue.first != NULL) {
        struct wm_shm_record *next = p->queue.first->next;

        if (!write_line(n, p, p->queue.first)) /* which may be idle then */
            break;
        if ((p->queue.first = next) == NULL)
            p->queue.end = &p->queue.first;
        moved = true;
    }
    return moved;
}
