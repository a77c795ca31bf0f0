/* Handles of communicators, groups and error handlers: places in one table of the process. A handle is the address of
 * its place, so it is told from the MPI library's handles, from ours of another kind and from those that were freed
 * without following it anywhere. One thread at a time changes it. */
#ifndef WM_SUBRANK_HANDLE_H
#define WM_SUBRANK_HANDLE_H

#include <stddef.h>
#include <stdint.h>

enum wm_rank_kind { WM_RANK_COMM, WM_RANK_GROUP, WM_RANK_HANDLER };

/* What every object with a handle begins with. */
struct wm_rank_object {
    enum wm_rank_kind kind;
    struct wm_rank_object **place; /* its handle */
};

enum { WM_RANK_HANDLES = 1 << 20 };
enum { WM_RANK_FIRST_NUMBER = 1 << 24 }; /* of ours in Fortran: those of the library are below */

/* An empty place holds NULL, or the address of the next empty one, which is itself a place. */
struct wm_rank_handles {
    struct wm_rank_object **places, **empty;
    size_t used; /* places that ever held something */
};
extern struct wm_rank_handles wm_rank_handles;

/* Make the table. Returns 0 or -WM_ENOMEM. */
int wm_rank_handles_start(void);
void wm_rank_handles_stop(void);

/* Give an object its handle; -WM_ENOMEM: there are as many as there can be. */
int wm_rank_handle_give(struct wm_rank_object *object, enum wm_rank_kind kind);
void wm_rank_handle_take(struct wm_rank_object *object);

static inline size_t wm_rank_handle_index(const void *handle)
{
    return ((uintptr_t)handle - (uintptr_t)wm_rank_handles.places) / sizeof(void *);
}

/* The object behind a handle, whatever the handle is; NULL: it is none of ours of that kind. */
static inline void *wm_rank_object_of(const void *handle, enum wm_rank_kind kind)
{
    const struct wm_rank_handles *h = &wm_rank_handles;
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)h->places;
    struct wm_rank_object *object;

    if (offset >= h->used * sizeof(void *) || offset % sizeof(void *) != 0)
        return NULL;
    object = h->places[offset / sizeof(void *)];
    if (object == NULL || (uintptr_t)object - (uintptr_t)h->places < h->used * sizeof(void *))
        return NULL;
    return object->kind == kind ? object : NULL;
}

#endif
