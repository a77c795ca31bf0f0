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

enum { PARTS = (WM_AREA_BYTES - 40) / sizeof(struct part) };

struct area {
    _Atomic uint64_t next;        /* offset of more places */
    _Atomic uint64_t parent, key; /* of an area that is a part */
    _Atomic uint32_t lock;        /* of the first piece: to make a part */
    _Atomic int32_t balance;      /* holds beyond the ranks' own: a new area is zeroed */
    uint64_t full;
    struct part parts[PARTS];
};

_Static_assert(sizeof(struct area) <= WM_AREA_BYTES, "an area is one piece");

uint64_t wm_area_make(void)
{
    return wm_memory_take(WM_AREA_BYTES);
}

static struct area *after(struct area *a)
{
    uint64_t next = atomic_load_explicit(&a->next, memory_order_acquire);

    return next != 0 ? wm_memory_at(next) : NULL;
}

static struct part *find(struct area *a, uint64_t name)
{
    for (; a != NULL; a = after(a))
        for (int i = 0; i < PARTS; i++)
            if (atomic_load_explicit(&a->parts[i].name, memory_order_acquire) == name)
                return &a->parts[i];
    return NULL;
}

/* A free place, in one more piece if there is none. Hold the lock. */
static struct part *find_place(struct area *first)
{
    struct part *place = find(first, 0);
    struct area *last = first;
    uint64_t more;

    if (place != NULL || (more = wm_memory_take(WM_AREA_BYTES)) == 0)
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
    place->offset = wm_memory_take(bytes);
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

static void drop(struct part *part)
{
    if (part->offset != 0)
        wm_memory_give(part->offset, part->bytes);
    atomic_store_explicit(&part->name, 0, memory_order_release);
}

static void drop_key(uint64_t area, uint64_t key)
{
    struct area *a = wm_memory_at(area);
    struct part *part;

    wm_memory_lock(&a->lock);
    if ((part = find(a, key + 1)) != NULL)
        drop(part);
    wm_memory_unlock(&a->lock);
}

static void drop_all(struct area *a)
{
    for (int i = 0; i < PARTS; i++)
        if (a->parts[i].name != 0)
            drop(&a->parts[i]);
}

/* All but the first piece, which is the parent's to give. */
static void empty(struct area *first)
{
    drop_all(first);
    for (uint64_t at = first->next; at != 0;) {
        struct area *a = wm_memory_at(at);
        uint64_t next = a->next;

        drop_all(a);
        wm_memory_give(at, WM_AREA_BYTES);
        at = next;
    }
}

void wm_area_adopt(uint64_t area, uint64_t parent, uint64_t key)
{
    struct area *a = wm_memory_at(area), *p = wm_memory_at(parent);

    atomic_fetch_add_explicit(&p->balance, 1, memory_order_relaxed);
    atomic_store_explicit(&a->key, key, memory_order_relaxed);
    atomic_store_explicit(&a->parent, parent, memory_order_relaxed);
}

/* The last of an area lets its ranks' holds on the parent go, all at once. */
void wm_area_release(uint64_t area, int size)
{
    for (int holds = 1; area != 0; holds = size) {
        struct area *a = wm_memory_at(area);
        uint64_t parent, key;

        if (atomic_fetch_sub_explicit(&a->balance, holds, memory_order_acq_rel) - holds != -size)
            return;
        parent = a->parent;
        key = a->key;
        empty(a);
        if (parent != 0)
            drop_key(parent, key);
        else
            wm_memory_give(area, WM_AREA_BYTES);
        area = parent;
    }
}
