/* Shared steps of a group: what `shared`, as a shape in force (wm_shape_to_combine, wm_shape_to_move), does in the
 * place of trees and exchanges. One step each; combining is always in the order of members. Members give from where
 * their data stands and get to where it shall stand, as they would with messages. */
#ifndef WM_WRAPPERS_SHARED_H
#define WM_WRAPPERS_SHARED_H

#include "wrappers/shapes.h"

/* Combine everyone's value at `root`, or at all. */
void wm_shared_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root,
                       bool ordered);
void wm_shared_combine_all(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                           bool ordered);
/* Spread the block from `root`. */
void wm_shared_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
/* Give each member its share from `root`, and the reverse. */
void wm_shared_scatter(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                       int root);
void wm_shared_gather(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
/* Each member ends with its share of everyone's value; and from its share at each member to the whole block. */
void wm_shared_shares_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                              bool ordered);
void wm_shared_shares_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);

/* A step while it is written: its arrays, of group->size entries, are to be filled in; wm_planner_shared adds it. */
struct wm_draft {
    struct wm_shared step;
    struct wm_ref *from, *to;
    size_t *counts;
};

/* Begin with no shares and no places; `fan` is the shape's number. False, after an error: there are no arrays. */
bool wm_draft_begin(struct wm_planner *planner, struct wm_draft *draft, const struct wm_group *group, int fan,
                    enum wm_shared_kind kind, int root);

#endif
