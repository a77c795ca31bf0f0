/* Lanes of a communicator: for each group that has met in a shared step, a few lanes in the node's memory.
 *
 * A group is a list of ranks of one node, in order. Consecutive shared steps of a group in one plan use its
 * lanes in turn, so that pieces of a segment may overlap; those of one lane come in order. */
#ifndef WM_LANES_H
#define WM_LANES_H

#include "core/node/node.h"
#include "core/shared/shared.h"

enum { WM_LANES = 4 };

/* A group's lanes; those that were not used yet have no area. */
struct wm_lane_group {
    struct wm_lane_group *next;
    int size, self;
    int ordinal; /* of its steps in a plan, while lanes are dealt */
    struct wm_shared_lane lanes[WM_LANES];
    int members[]; /* ranks */
};

struct wm_lanes {
    struct wm_node *node;
    struct wm_lane_group *groups;
    struct wm_check check; /* of the blocking call that the rank is in */
};

/* `node` is not owned. */
void wm_lanes_init(struct wm_lanes *lanes, struct wm_node *node);
void wm_lanes_release(struct wm_lanes *lanes);

/* Memory for a lane of every group when the `size` ranks of a node are dealt into groups. */
uint64_t wm_lanes_bytes(int size);

/* The group of a step, made when it is first asked for. */
struct wm_lane_group *wm_lanes_group(struct wm_lanes *lanes, const struct wm_shared *step);
/* Its lane number `lane`; the first one where there is no memory for more; NULL where there is none for that either. */
struct wm_shared_lane *wm_lanes_take(struct wm_lanes *lanes, struct wm_lane_group *group, int lane);
/* Deal lanes to the shared steps of a plan: begin, then one step after the other, as the plan numbers them. Steps of a
 * group take its lanes in turn. NULL as above. */
void wm_lanes_begin(struct wm_lanes *lanes);
struct wm_shared_lane *wm_lanes_next(struct wm_lanes *lanes, const struct wm_shared *step);
/* Have the caches fetch what the next round in the first lane touches first. */
void wm_lanes_warm(const struct wm_lanes *lanes);

#endif
