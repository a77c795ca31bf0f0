/* What the doors of blocking collectives begin with. */
#ifndef WM_SUBRANK_COLLECTIVE_DOOR_H
#define WM_SUBRANK_COLLECTIVE_DOOR_H

#include "core/subrank/siblings.h"

/* The sibling that comes to this call, if that is found out in a few instructions; NULL: wm_rank_collective does all.
 * With several workers it does: they hold first. */
static inline __attribute__((always_inline)) struct wm_sibling *wm_rank_sibling(const struct wm_call *call,
                                                                                const char *function)
{
    struct wm_worker *w = wm_worker;
    struct wm_rank *rank = wm_rank_inside(w);
    struct wm_sibling *sibling;

    if (!wm_siblings_may_meet(call->operation) || rank == NULL || w->is_one_of_several)
        return NULL;
    sibling = wm_sibling_that_may_come(rank, wm_rank_comm_of(rank, call->comm), call);
    if (sibling != NULL)
        wm_rank_count_call(w, rank, function);
    return sibling;
}

#endif
