/* Growing arrays: room for one more item, at doubling sizes. */
#ifndef WM_VECTOR_H
#define WM_VECTOR_H

#include <stddef.h>
#include <stdlib.h>
#include "core/error.h"

/* Make `*items` (of `*capacity` items of `item_bytes` each) hold at least `needed`. Returns 0 or -WM_ENOMEM,
 * and then leaves everything as it was. `items` is the address of the pointer to the first item. */
static inline int wm_vector_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes)
{
    void **array = items;
    size_t count = *capacity ? *capacity : 16;
    void *grown;

    if (needed <= *capacity)
        return 0;
    while (count < needed)
        count *= 2;
    grown = realloc(*array, count * item_bytes);
    if (grown == NULL)
        return -WM_ENOMEM;
    *array = grown;
    *capacity = count;
    return 0;
}

#endif
