/* Areas in a node's memory: lists of parts that are read without locks. */
#include "core/node/area.h"

#include <stdatomic.h>
#include <stdbool.h>
#include "core/error.h"
#include "core/node/memory.h"

/* Written before its name is. */
struct part {
    _Atomic uint64_t name; /* key + 1; 0: the place is free */
    uint64_t offset, bytes;
};

enum { AREA_BYTES = 4096, PARTS = (AREA_BYTES - 40) / sizeof(struct part) };

struct area {
    _Atomic uint64_t next;    /* offset of more places */
    uint64_t reserved;        /* bytes for parts to come; under the lock */
    _Atomic uint32_t lock;    /* of the first piece: to make a part */
    _Atomic int32_t released; /* by so many ranks */
    uint64_t full;
    uint64_t leads_to; /* the offset of another area, 0: none */
    struct part parts[PARTS];
};

_Static_assert(sizeof(struct area) <= AREA_BYTES, "an area is one piece");

uint64_t wm_area_make(uint64_t reserved, uint64_t before)
{
    uint64_t area = 0;

    if (!wm_memory_reserve(reserved))
        return 0;
    if ((area = wm_memory_take(AREA_BYTES, &(uint64_t){0})) != 0)
        ((struct area *)wm_memory_at(area))->reserved = reserved;
    else
        wm_memory_unreserve(reserved);
    if (before != 0)
        ((struct area *)wm_memory_at(before))->leads_to = area;
    return area;
}

uint64_t wm_area_next(uint64_t area)
{
    return ((struct area *)wm_memory_at(area))->leads_to;
}

static struct area *after(struct area *a)
{
    uint64_t next = atomic_load_explicit(&a->next, memory_order_acquire);

    return next != 0 ? wm_memory_at(next) : NULL;
}

/* Places are taken one after another: there is nothing behind a free one. */
static struct part *find(struct area *a, uint64_t name)
{
    for (; a != NULL; a = after(a))
        for (int i = 0; i < PARTS; i++) {
            uint64_t seen = atomic_load_explicit(&a->parts[i].name, memory_order_acquire);

            if (seen == name)
                return &a->parts[i];
            if (seen == 0)
                return NULL;
        }
    return NULL;
}

/* A free place, in one more piece if there is none. Hold the lock. */
static struct part *find_place(struct area *first)
{
    struct part *place = find(first, 0);
    struct area *last = first;
    uint64_t more;

    if (place != NULL || (more = wm_memory_take(AREA_BYTES, &first->reserved)) == 0)
        return place;
    while (after(last) != NULL)
        last = after(last);
    atomic_store_explicit(&last->next, more, memory_order_release);
    return &after(last)->parts[0];
}

/* Hold the lock. NULL: the area is full. */
static struct part *make(struct area *a, uint64_t name, size_t bytes)
{
    struct part *place = a->full ? NULL : find_place(a);

    if (place == NULL) {
        a->full = true;
        return NULL;
    }
    place->offset = wm_memory_take(bytes, &a->reserved);
    place->bytes = bytes;
    atomic_store_explicit(&place->name, name, memory_order_release);
    return place;
}

uint64_t wm_area_part(uint64_t area, uint64_t key, size_t bytes)
{
    struct area *a = wm_memory_at(area);
    struct part *part = find(a, key + 1);

    if (part == NULL) {
        wm_memory_lock(&a->lock);
        if ((part = find(a, key + 1)) == NULL)
            part = make(a, key + 1, bytes);
        wm_memory_unlock(&a->lock);
    }
    if (part != NULL && part->bytes != bytes)
        WM_BUG("a part of the node's memory is asked for with another size");
    return part != NULL ? part->offset : 0;
}

static void give_parts(const struct area *a)
{
    for (int i = 0; i < PARTS; i++)
        if (a->parts[i].name != 0 && a->parts[i].offset != 0)
            wm_memory_give(a->parts[i].offset, a->parts[i].bytes);
}

void wm_area_release(uint64_t area, int size)
{
    struct area *a = wm_memory_at(area);

    if (atomic_fetch_add_explicit(&a->released, 1, memory_order_acq_rel) + 1 < size)
        return;
    wm_memory_unreserve(a->reserved);
    for (uint64_t at = area, next; at != 0; at = next) {
        a = wm_memory_at(at);
        next = a->next;
        give_parts(a);
        wm_memory_give(at, AREA_BYTES);
    }
}
