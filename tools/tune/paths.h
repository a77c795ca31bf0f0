/* Candidates: the paths that an operation may take on a machine, as a map writes them. Pure. */
#ifndef WM_TUNE_PATHS_H
#define WM_TUNE_PATHS_H

#include <stdbool.h>
#include <stdint.h>
#include "waymark/operation.h"

enum { WM_TUNE_PATHS_MAX = 256, WM_TUNE_PATH_CHARS = 160 };

struct wm_tune_path {
    char text[WM_TUNE_PATH_CHARS]; /* "(path (allreduce all))", "(path (native))" */
    int effort;                    /* of who reads it: stages, numbers, segments; 0: native */
    uint64_t least_bytes;          /* of fewer it is another one of the list: there is one segment */
    bool uniform;                  /* it serves where all groups have as many ranks, alone */
    bool near;                     /* it serves where all ranks share a node, alone */
};

struct wm_tune_list {
    int count;
    struct wm_tune_path paths[WM_TUNE_PATHS_MAX];
};

/* List what serves the operation on so many nodes, in so many clusters, simpler ones first; number 0 is native. Not all
 * of them need fit a machine: the planner and the prover say. */
void wm_tune_list_paths(struct wm_tune_list *list, enum wm_operation operation, int nodes, int clusters);

#endif
