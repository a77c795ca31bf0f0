/* The exchanges that stages are made of: loops over a group, one file a shape.
 *
 * All work on the flow of the planner: the block [offset, offset + count) and its value. "Combine" merges values on the
 * way and leave the flow's value as that of the block, or, for shares, of this member's share of it; "spread" moves
 * finished data that stands at home (wm_planner_home). `ordered` reductions come in one fixed order,
 * so that every run of a job yields the same bits; otherwise they come as messages arrive.
 * Costs: n members, m bytes, α a message's latency, β a byte's time, γ the reduction of a byte. */
#ifndef WM_SHAPES_LOOPS_H
#define WM_SHAPES_LOOPS_H

#include "core/planner.h"
#include "core/value.h"

/* Units [first, last) of the block that members low … high-1 own when n members share it. */
struct wm_share {
    size_t delta, count; /* from the block's start */
};
struct wm_share wm_share_of(const struct wm_flow *flow, int members, int low, int high);

/* Contributions of members low … high-1 together; NULL when the operator commutes. */
const uint64_t *wm_group_set(struct wm_planner *planner, const struct wm_group *group, int low, int high);

/* Combine everyone's value at `root`. A tree of height h: h (α + m β + m γ) and more where a member has several
 * children. */
void wm_tree_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root,
                     bool ordered);
/* Spread the block from `root`'s home to everyone's. h (α + m β). */
void wm_tree_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
/* Send each member its share from `root`'s home; and the reverse. */
void wm_tree_scatter(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
void wm_tree_gather(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);

/* Recursive doubling: everyone ends with everyone's value. log2 n (α + m β + m γ), two rounds more if n is no power
 * of 2. Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005, 4.5. */
void wm_butterfly_combine(struct wm_planner *planner, const struct wm_group *group, bool ordered);

/* Recursive halving: each member ends with its share of everyone's value. log2 n α + (n-1)/n m (β + γ).
 * Ibid., 4.4 and 4.5 (Rabenseifner). */
void wm_halving_combine(struct wm_planner *planner, const struct wm_group *group, bool ordered);
/* Recursive doubling of shares: from its share at each member's home to the whole block. log2 n α + (n-1)/n m β. */
void wm_halving_spread(struct wm_planner *planner, const struct wm_group *group);

/* Ring: the same two with n-1 rounds between neighbours. (n-1) α + (n-1)/n m (β + γ). */
void wm_ring_combine(struct wm_planner *planner, const struct wm_group *group, bool ordered);
void wm_ring_spread(struct wm_planner *planner, const struct wm_group *group);

/* Direct: the same two with one message between each two members. (n-1) α + (n-1)/n m (β + γ), all at once. */
void wm_direct_combine(struct wm_planner *planner, const struct wm_group *group, bool ordered);
void wm_direct_spread(struct wm_planner *planner, const struct wm_group *group);

/* What the shapes other than trees do, chosen by kind. */
void wm_shards_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                       bool ordered);
void wm_shards_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);

/* Go on with one's own share of the block, whose value the flow holds already, and come back to the whole, which then
 * stands at home; `whole` keeps the flow meanwhile. */
void wm_share_enter(struct wm_planner *planner, const struct wm_group *group, struct wm_flow *whole);
void wm_share_leave(struct wm_planner *planner, const struct wm_flow *whole);

#endif
