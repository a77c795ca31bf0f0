/* The store: memory of a conveyor's buffers, the user's allocator's or malloc's.
 *
 * Of the user's allocator the constructor reserves one block, from which runs take parts; what it has no room for is a
 * block of its own. Parts are given back last in, first out, so the allocator sees the blocks of several conveyors in
 * that order, too, if each gives back at reset what it took beside its reserve. Parts begin at multiples of 64 bytes,
 * however the allocator aligns. */
#ifndef WM_CONVEY_STORE_H
#define WM_CONVEY_STORE_H

#include <stddef.h>
#include "waymark/convey.h"

/* Bytes beside its contents that a block of the user's allocator takes. */
enum { WM_STORE_EXTRA_BYTES = CONVEY_MAX_ALIGN + sizeof(void *) };

struct wm_convey_store {
    convey_alc8r_t alloc; /* grab NULL: malloc */
    char *reserve;
    size_t bytes, used; /* of the reserve */
    int blocks;         /* taken beside it, of the user's allocator */
};

/* Reserve so many bytes, which may be 0, of the user's allocator; malloc needs no reserve. False: there is no memory.
 */
bool wm_convey_store_reserve(struct wm_convey_store *store, size_t bytes);
/* All parts were given back. */
void wm_convey_store_release(struct wm_convey_store *store);

/* A part of `bytes`, at least 1. NULL: there is no memory. */
void *wm_convey_store_take(struct wm_convey_store *store, size_t bytes);
/* Give a part back; NULL is allowed. */
void wm_convey_store_give(struct wm_convey_store *store, void *part);

#endif
