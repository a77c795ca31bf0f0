/* Phases: the kinds of rounds that shared steps are made of, for the files that make them up. */
#ifndef WM_SHARED_PHASE_H
#define WM_SHARED_PHASE_H

#include <stdbool.h>
#include <stdint.h>
#include "core/plan/plan.h"

enum wm_shared_who {
    WM_SHARED_ALL,
    WM_SHARED_ROOT,
    WM_SHARED_OTHERS, /* all but the root */
    WM_SHARED_FIRST,
    WM_SHARED_BUT_LAST,
    WM_SHARED_NOBODY
};

/* One kind of round: who posts, who reads, and what.
 *
 * The phases of a tree (core/shared/tree.h) are made for one member: `writers` and `readers` are ALL when it is one of
 * them, else NOBODY. It reads `sources`, in their order, itself among them if it has to combine. Its own contribution
 * is combined from the slot if this phase posted it, else from where the value stands. */
struct wm_shared_phase {
    uint8_t writers, readers; /* enum wm_shared_who */
    bool split;               /* every reader has a part of its own in the payload; else all want the same */
    bool combine;             /* what is read is combined; else copied */
    bool result;              /* what is posted is what the phase before has combined */
    bool chain;               /* each reader reads the one before it, and posts the sum (core/shared/chain.h) */
    bool value;    /* of a tree: what is posted is what this member gives, or what earlier phases made of it */
    bool complete; /* who has read this has, through others, heard of every member */
    int source_count;
    const int *sources;
};

/* Is the member one of those? */
static inline bool wm_shared_belongs(const struct wm_shared *s, int who, int member)
{
    switch (who) {
    case WM_SHARED_ALL:
        return true;
    case WM_SHARED_FIRST:
        return member == 0;
    case WM_SHARED_BUT_LAST:
        return member < s->size - 1;
    case WM_SHARED_NOBODY:
        return false;
    default:
        return (who == WM_SHARED_ROOT) == (member == s->root);
    }
}

#endif
