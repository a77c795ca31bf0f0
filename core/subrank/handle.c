/* The table of handles: address space that is touched where there are handles. */
#include "core/subrank/handle.h"

#include <sys/mman.h>
#include "core/error.h"

enum { TABLE_BYTES = WM_RANK_HANDLES * (int)sizeof(void *) };

struct wm_rank_handles wm_rank_handles;

int wm_rank_handles_start(void)
{
    void *memory = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return -WM_ENOMEM;
    wm_rank_handles = (struct wm_rank_handles){.places = memory};
    return 0;
}

void wm_rank_handles_stop(void)
{
    munmap(wm_rank_handles.places, TABLE_BYTES);
    wm_rank_handles = (struct wm_rank_handles){0};
}

int wm_rank_handle_give(struct wm_rank_object *object, enum wm_rank_kind kind)
{
    struct wm_rank_handles *h = &wm_rank_handles;
    struct wm_rank_object **place = h->empty;

    if (place != NULL)
        h->empty = (struct wm_rank_object **)*place;
    else if (h->used < WM_RANK_HANDLES)
        place = &h->places[h->used++];
    else
        return -WM_ENOMEM;
    *place = object;
    object->kind = kind;
    object->place = place;
    return 0;
}

void wm_rank_handle_take(struct wm_rank_object *object)
{
    struct wm_rank_handles *h = &wm_rank_handles;

    *object->place = (struct wm_rank_object *)h->empty;
    h->empty = object->place;
    object->place = NULL;
}
