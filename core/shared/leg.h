/* Legs: the kinds of rounds that shared steps are made of, for the files that make them up. */
#ifndef WM_SHARED_LEG_H
#define WM_SHARED_LEG_H

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

/* One kind of round: who posts and who reads; every reader has a part of its own in the payload (split), or all want
 * the same; what is read is combined or copied; what is posted came of the leg before (result). In a chain the first
 * member posts, and each of the others reads the one before it and posts what comes of that (core/shared/chain.h).
 *
 * The legs of a tree (core/shared/tree.h) are made for one member: `writers` and `readers` are ALL when it is one of
 * them, else NOBODY; it reads `sources`, in their order, itself among them if it has to combine; it posts its value so
 * far, what it gives or what earlier legs made of that. Own contributions are combined from the slot if this leg posted
 * them, else from where the value stands. */
struct wm_shared_leg {
    uint8_t writers, readers;
    bool split, combine, result, chain;
    bool value;
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
