/* The store of a conveyor's buffers. */
#include "core/convey/store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = CONVEY_MAX_ALIGN };

/* The block's own address stands before what is aligned in it. */
static char *grab(const convey_alc8r_t *alloc, size_t bytes)
{
    char *block = alloc->grab(alloc->alc8r, bytes + WM_STORE_EXTRA_BYTES, __FILE__, __LINE__), *at;

    if (block == NULL)
        return NULL;
    at = block + sizeof block;
    at += -(uintptr_t)at % ALIGN;
    memcpy(at - sizeof block, &block, sizeof block);
    return at;
}

static void let_go(const convey_alc8r_t *alloc, char *at)
{
    char *block;

    memcpy(&block, at - sizeof block, sizeof block);
    alloc->free(alloc->alc8r, block);
}

bool wm_convey_store_reserve(struct wm_convey_store *s, size_t bytes)
{
    if (s->alloc.grab == NULL || bytes == 0)
        return true;
    if ((s->reserve = grab(&s->alloc, bytes)) == NULL)
        return false;
    s->bytes = bytes;
    return true;
}

void wm_convey_store_release(struct wm_convey_store *s)
{
    if (s->reserve != NULL)
        let_go(&s->alloc, s->reserve);
    s->reserve = NULL;
    s->bytes = 0;
}

void *wm_convey_store_take(struct wm_convey_store *s, size_t bytes)
{
    char *part;

    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (s->alloc.grab == NULL)
        return aligned_alloc(ALIGN, bytes);
    if (s->blocks == 0 && bytes <= s->bytes - s->used) {
        part = s->reserve + s->used;
        s->used += bytes;
        return part;
    }
    part = grab(&s->alloc, bytes);
    s->blocks += part != NULL;
    return part;
}

void wm_convey_store_give(struct wm_convey_store *s, void *part)
{
    char *at = part;

    if (s->alloc.grab == NULL) {
        free(part);
    } else if (at != NULL && s->blocks > 0) { /* taken behind all that is of the reserve */
        let_go(&s->alloc, at);
        s->blocks--;
    } else if (at != NULL) {
        s->used = (size_t)(at - s->reserve);
    }
}
