/* Memory of a conveyor: the user's allocator's, or malloc's. */
#ifndef WM_CONVEY_GRAB_H
#define WM_CONVEY_GRAB_H

#include <stdint.h>
#include <stdlib.h>
#include "waymark/convey.h"

enum { WM_GRAB_ALIGN = 64 };

/* Give back what wm_convey_grab gave; NULL is allowed. An allocator sees blocks come back last in, first out if callers
 * do as it does. */
static inline void wm_convey_release(const convey_alc8r_t *alloc, void *block)
{
    if (alloc == NULL)
        free(block);
    else if (block != NULL)
        alloc->free(alloc->alc8r, block);
}

/* `bytes`, at least 1, at a multiple of WM_GRAB_ALIGN. NULL: there is none, or the allocator aligns less. */
static inline void *wm_convey_grab(const convey_alc8r_t *alloc, size_t bytes)
{
    void *block;

    bytes = (bytes + WM_GRAB_ALIGN - 1) / WM_GRAB_ALIGN * WM_GRAB_ALIGN;
    if (alloc == NULL)
        return aligned_alloc(WM_GRAB_ALIGN, bytes);
    block = alloc->grab(alloc->alc8r, bytes, __FILE__, __LINE__);
    if ((uintptr_t)block % WM_GRAB_ALIGN == 0)
        return block;
    alloc->free(alloc->alc8r, block);
    return NULL;
}

#endif
