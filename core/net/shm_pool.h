/* Pools: buffers in a node's memory, from which a rank sends large messages in chunks. */
#ifndef WM_NET_SHM_POOL_H
#define WM_NET_SHM_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "core/net/shm_ring.h"

enum { WM_SHM_CHUNKS = 8, WM_SHM_CHUNK_BYTES = 64 << 10 };

struct wm_shm_chunk {
    _Alignas(WM_RING_LINE_BYTES) _Atomic uint32_t busy; /* set by the sender, cleared by the receiver */
    _Alignas(WM_RING_LINE_BYTES) char data[WM_SHM_CHUNK_BYTES];
};

/* The first of a pool's WM_SHM_CHUNKS that is free: those that were used last are in a cache. NULL: none is. */
static inline struct wm_shm_chunk *wm_shm_free_chunk(struct wm_shm_chunk *pool)
{
    for (int i = 0; i < WM_SHM_CHUNKS; i++)
        if (atomic_load_explicit(&pool[i].busy, memory_order_acquire) == 0)
            return &pool[i];
    return NULL;
}

#endif
