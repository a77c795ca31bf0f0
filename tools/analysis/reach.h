/* Reach: whose bytes had come to a rank by the end, as the messages of an instance show.
 *
 * The v- and neighbor forms do not record their counts, so that only messages with bytes tell who depends on whom.
 * Bytes go on from rank to rank: a send may carry all that its rank had received by then. In alltoallv and its like,
 * and in the neighbor forms, a rank sends each peer something else, so that within one stage a send carries nothing
 * that the stage has received, only what came through other stages. */
#ifndef WM_REACH_H
#define WM_REACH_H

#include "tools/analysis/instance.h"

struct wm_reach {
    int source;  /* the only region that bytes come from, -1: any */
    bool apart;  /* to each rank something else */
    int *latest; /* by region: the latest to enter of those whose bytes reached it, or -1; itself, where it is a source
                  */
};

/* Can messages tell? Not where there are none, or where bytes went through shared memory besides. */
bool wm_reach_is_known(const struct wm_instance *instance);

/* Fill reach->latest, `count` entries, for the regions of a node; `region_of_member` tells where in `regions` a
 * member's is, or -1. Counts messages that were posted inside these regions. O(n log n) in them. 0 or -WM_ENOMEM. */
int wm_reach_find(struct wm_reach *reach, const struct wm_instance *instance, struct wm_region *const *regions,
                  size_t count, const int *region_of_member);

#endif
