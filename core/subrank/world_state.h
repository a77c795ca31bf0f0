/* What a world consists of. */
#ifndef WM_SUBRANK_WORLD_STATE_H
#define WM_SUBRANK_WORLD_STATE_H

#include "core/subrank/rank.h"

struct wm_world {
    int processes, process, each; /* ranks of one process follow each other */
    struct wm_place *places;      /* of processes */
    struct wm_endpoints *endpoints;
    struct wm_rank_group *all;
    struct wm_rank *ranks;       /* [each] those of this process */
    unsigned long calls;         /* of MPI, by all of them */
    unsigned long calls_at_rest; /* when all waited last */
    char told[600];              /* of the last message that failed; "": none did */
    unsigned turn;               /* of waiting (wm_endpoints_rest) */
};

extern struct wm_world wm_world;

#endif
