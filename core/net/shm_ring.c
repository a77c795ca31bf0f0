/* Rings between two ranks of a node: their payload. */
#include "core/net/shm_ring.h"

_Static_assert(sizeof(struct wm_ring_line) == WM_RING_LINE_BYTES, "a line is a cache line");

void wm_ring_refresh(struct wm_ring_writer *w)
{
    w->taken = atomic_load_explicit(&w->ring->taken, memory_order_acquire);
    if (w->taken > 0)
        w->freed = w->ends[(w->taken - 1) % WM_RING_LINES];
}

/* Pieces are whole lines and do not go around the end. */
static uint64_t start_of(uint64_t payload, size_t bytes)
{
    uint64_t rest = WM_RING_PAYLOAD_BYTES - payload % WM_RING_PAYLOAD_BYTES;

    return rest < bytes ? payload + rest : payload;
}

char *wm_ring_payload(struct wm_ring_writer *w, size_t bytes)
{
    size_t room = (bytes + WM_RING_LINE_BYTES - 1) / WM_RING_LINE_BYTES * WM_RING_LINE_BYTES;
    uint64_t start = start_of(w->payload, room);

    if (start + room - w->freed > WM_RING_PAYLOAD_BYTES)
        wm_ring_refresh(w);
    if (start + room - w->freed > WM_RING_PAYLOAD_BYTES)
        return NULL;
    w->payload = start + room;
    return w->ring->payload + start % WM_RING_PAYLOAD_BYTES;
}
