/* Rings between two ranks of a node: their payload. */
#include "core/net/shm_ring.h"

_Static_assert(sizeof(struct wm_ring_line) == WM_RING_LINE_BYTES, "a line is a cache line");

void wm_ring_refresh(struct wm_ring_writer *w)
{
    w->taken = atomic_load_explicit(&w->ring->taken, memory_order_acquire);
    if (w->taken > 0)
        w->freed = w->ends[(w->taken - 1) % WM_RING_LINES];
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + WM_RING_LINE_BYTES - 1) / WM_RING_LINE_BYTES * WM_RING_LINE_BYTES;
}

/* Pieces are whole lines and do not go around the end. */
static uint64_t start_of(uint64_t payload, size_t bytes)
{
    uint64_t rest = WM_RING_PAYLOAD_BYTES - payload % WM_RING_PAYLOAD_BYTES;

    return rest < bytes ? payload + rest : payload;
}

/* A payload of one line its reader fetches while it waits; of more, the writer would lose lines before it is through.
 * So those the writer owns. */
void wm_ring_guess(struct wm_ring_reader *r, size_t offset, size_t bytes)
{
    size_t room = whole_lines(bytes);

    r->guess =
        room > WM_RING_LINE_BYTES ? NULL : r->ring->payload + start_of(offset + room, room) % WM_RING_PAYLOAD_BYTES;
}

void wm_ring_own_payload(struct wm_ring_writer *w)
{
    enum { OWNED_BYTES = 4 << 10 };
    const char *next = w->ring->payload + start_of(w->payload, w->piece) % WM_RING_PAYLOAD_BYTES;

    if (w->piece > WM_RING_LINE_BYTES)
        for (size_t at = 0; at < w->piece && at < OWNED_BYTES; at += WM_RING_LINE_BYTES)
            wm_own_line(next + at);
    w->piece = 0;
}

char *wm_ring_payload(struct wm_ring_writer *w, size_t bytes)
{
    size_t room = whole_lines(bytes);
    uint64_t start = start_of(w->payload, room);

    if (start + room - w->freed > WM_RING_PAYLOAD_BYTES)
        wm_ring_refresh(w);
    if (start + room - w->freed > WM_RING_PAYLOAD_BYTES)
        return NULL;
    w->payload = start + room;
    w->piece = room;
    return w->ring->payload + start % WM_RING_PAYLOAD_BYTES;
}
