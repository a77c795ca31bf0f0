/* The tree of a job's guards, before they are started: a socket for each to listen on, and where the others listen. */
#ifndef WM_JOB_GUARD_TREE_H
#define WM_JOB_GUARD_TREE_H

#include <mpi.h>
#include <stdbool.h>
#include "core/guard/start.h"

/* What a node's first rank hands to the guard; -1: there is no tree. */
struct wm_guard_tree {
    int start, door; /* files; close them, by wm_guard_tree_release */
};

/* Make it, on the first rank of each node, `first`, where the job is on several. `key`: the same at all ranks.
 * Collective over MPI_COMM_WORLD. */
void wm_guard_tree_make(struct wm_guard_tree *tree, bool first, const uint8_t key[WM_KEY_BYTES]);
void wm_guard_tree_release(struct wm_guard_tree *tree);

#endif
