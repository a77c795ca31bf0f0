/* Superblocks of a subrank: a stack; the markers of <waymark/superblock.h> work on its top. */
#ifndef WM_SUBRANK_SUPERBLOCK_H
#define WM_SUBRANK_SUPERBLOCK_H

#include "core/subrank/rank.h"

struct wm_superblock {
    struct wm_superblock *below; /* which began before and has not ended */
    const char *name;
};

/* End the job where a rank that is about to leave MPI has a superblock that has not ended. */
void wm_superblocks_check_ended(const struct wm_rank *rank, const char *function);

#endif
