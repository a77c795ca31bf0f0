/* What the guard of a node is told at its start, where a job has several: the job's key, which no other process than
 * its ranks and guards has, and where the guards above it listen. Guards are a tree, by the number of their node, whose
 * root is the guard of rank 0's node. */
#ifndef WM_GUARD_START_H
#define WM_GUARD_START_H

#include <stdint.h>
#include "core/guard/mac.h"

/* Files of the guard's process, beside WM_GUARD_FILE: a pipe with a struct wm_guard_start, and the socket that it
 * listens on; -1 in its place, where there is no tree. */
enum { WM_GUARD_START = 4, WM_GUARD_DOOR = 5 };

/* The root holds the pages of all ranks: of larger jobs each guard sees its own node alone. */
enum { WM_GUARD_RANKS = 8192 };

enum { WM_GUARD_CHILDREN = 32, WM_GUARD_ADDRESSES = 8, WM_GUARD_ANCESTORS = 4 };

/* Where a guard listens: IPv4 addresses of its host, and a TCP port, all in the network's byte order; port 0: nowhere.
 */
struct wm_guard_door {
    uint32_t addresses[WM_GUARD_ADDRESSES]; /* 0: none */
    uint16_t port;
};

struct wm_guard_start {
    uint8_t key[WM_KEY_BYTES];
    int32_t ranks; /* of the job */
    int32_t ancestor_count;
    struct wm_guard_door ancestors[WM_GUARD_ANCESTORS]; /* the nearest first; the root has none */
};

static inline int wm_guard_parent(int node)
{
    return (node - 1) / WM_GUARD_CHILDREN;
}

#endif
