/* Observers: who wants more of a trace than its sums is shown every instance while it is in memory.
 *
 * Instances come by communicator and sequence number. Of each, first the pieces of every outermost region that ended,
 * region by region, each region's from its end backwards, without gap or overlap; then the instance as a whole, with
 * its regions' waits set. Pointers are good until the call returns. */
#ifndef WM_OBSERVER_H
#define WM_OBSERVER_H

#include "tools/analysis/instance.h"

enum wm_cost_kind { WM_COST_LATE, WM_COST_INSIDE, WM_COST_TRANSFER, WM_COST_WORK, WM_COST_OVERHEAD, WM_COST_KINDS };

/* A piece of a rank's time in an outermost call. All times of a line of the map are sums of these. */
struct wm_cost_piece {
    enum wm_cost_kind kind;
    uint16_t node; /* the stage, where an edge or work is; else the region's */
    int64_t begin_ns, end_ns;
    const struct wm_attributed_edge *edge; /* of TRANSFER and INSIDE; of LATE where an edge waited; else NULL */
};

struct wm_observer {
    void *context;
    /* Both return 0 or -WM_ENOMEM, which ends the analysis; either may be NULL. */
    int (*take_piece)(void *context, const struct wm_instance *instance, const struct wm_region *region,
                      const struct wm_cost_piece *piece);
    int (*take_instance)(void *context, const struct wm_instance *instance);
};

/* Show some instances again: those of `wanted` (communicator key and sequence), in their order. Reads the trace once
 * more. 0 or -WM_ENOMEM. */
struct wm_instance_name {
    uint32_t communicator, sequence;
};
int wm_analysis_replay(struct wm_trace *trace, const struct wm_instance_name *wanted, size_t count,
                       const struct wm_observer *observer);

#endif
