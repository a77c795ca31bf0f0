/* Faults: which wrapper of a path is one, and which messages it hits. */
#include "core/path/fault.h"

#include <stddef.h>
#include "core/hash.h"
#include "core/path/path.h"

enum { MILLION = 1000000, WHERE_BITS = 30 };

bool wm_wrapper_spoils(const struct wm_wrapper *wrapper)
{
    return wrapper->class->role == WM_ROLE_SPOILS;
}

bool wm_class_is_fault(const struct wm_wrapper_class *class)
{
    return class->role == WM_ROLE_STRIKES || class->role == WM_ROLE_SPOILS;
}

const struct wm_wrapper *wm_path_fault(const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++)
        if (wm_class_is_fault(path->wrappers[i].class))
            return &path->wrappers[i];
    return NULL;
}

uint64_t wm_fault_hits(const struct wm_fault *fault, int sender, int receiver, uint64_t number)
{
    uint64_t hash = wm_hash_add(wm_hash_add(WM_HASH_BEGIN, fault->seed), (uint64_t)sender);

    hash = wm_hash_scatter(wm_hash_add(wm_hash_add(hash, (uint64_t)receiver), number));
    return (hash >> WHERE_BITS) % MILLION < fault->ppm ? (hash & ((UINT64_C(1) << WHERE_BITS) - 1)) | 1 : 0;
}
