/* The exchanges that stages are made of: loops over a group, one file a shape.
 *
 * All work on the flow of the planner: the block [offset, offset + count) and its value. "Combine" merges values on the
 * way and leave the flow's value as that of the block, or, for shares, of this member's share of it; "spread" moves
 * finished data that stands at home (wm_planner_home). `ordered` reductions come in one fixed order,
 * so that every run of a job yields the same bits; otherwise they come as messages arrive.
 * Costs: n members, m bytes, α a message's latency, β a byte's time, γ the reduction of a byte. */
#ifndef WM_SHAPES_LOOPS_H
#define WM_SHAPES_LOOPS_H

#include "core/plan/planner.h"
#include "core/plan/value.h"

/* Contributions of members low … high-1 together; NULL when the operator commutes. */
const struct wm_rank_set *wm_group_set(struct wm_planner *planner, const struct wm_group *group, int low, int high);

/* Combine everyone's value at `root`. A tree of height h: h (α + m β + m γ) and more where a member has several
 * children. */
void wm_tree_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root,
                     bool ordered);
/* Spread the block from `root`'s home to everyone's. h (α + m β). */
void wm_tree_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
/* Send each member its share from `root`'s home; and the reverse. */
void wm_tree_scatter(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
void wm_tree_gather(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);

/* Two binary trees, each with one half of the block: the same two as for a tree. */
void wm_double_tree_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                            int root, bool ordered);
void wm_double_tree_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                           int root);

/* Spread a half of the block down each side of a binary tree, then exchange the halves. */
void wm_split_binary_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                            int root);

/* What a shape does, by ability (enum wm_shape_ability): its row in wrappers/shapes.c. An exchange that an ability does
 * not need is NULL there; conformance__shapes_can_what_they_say holds both against each other. */
struct wm_scan;
struct wm_exchange;
struct wm_shape_class {
    /* COMBINES, which needs `scatter`, too: everyone's value at `root`. */
    void (*combine)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root,
                    bool ordered);
    /* SPREADS, RETURNS: the block from `root`'s home to everyone's. */
    void (*spread)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
    /* DEALS: to each member its share from `root`'s home, and the reverse. */
    void (*scatter)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
    void (*gather)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
    /* COMBINES_ALL, MEETS: everyone's value at everyone. */
    void (*combine_all)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                        bool ordered);
    void (*meet)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, bool ordered);
    /* COMBINES_SHARES: each member's share of everyone's value. */
    void (*combine_shares)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                           bool ordered);
    /* SPREADS_SHARES: from its share at each member to the whole block at all, or at `root`. */
    void (*spread_shares)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);
    void (*gather_shares)(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                          int root);
    /* SCANS: wrappers/scan.h. */
    void (*scan)(struct wm_planner *planner, struct wm_scan *scan, const struct wm_shape *shape);
    /* EXCHANGES: wrappers/alltoall.h. */
    void (*exchange)(struct wm_planner *planner, const struct wm_exchange *exchange);
};

/* The row of a shape that can do one of `abilities`. */
const struct wm_shape_class *wm_shape_class(const struct wm_shape *shape, uint32_t abilities);

/* The slots of that row. */
void wm_rooted_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root,
                       bool ordered);
void wm_rooted_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
void wm_rooted_scatter(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                       int root);
void wm_rooted_gather(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);
void wm_shares_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                       bool ordered);
void wm_shares_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);
void wm_shares_gather(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, int root);

/* The shape that holds for this call, where parameter `param` of a stage is a shape (one that is not given is that of
 * the way in): 'shared only where the call may have shared steps and the group's data fits them, else what the map
 * says, or, in the place of 'shared, the stage's default. Equal at all members. To combine: operators that do not
 * commute need the members' contributions to follow each other, as those of a scan always do, and units are limited to
 * WM_SHARED_UNIT_BYTES_MAX. To move: all members must know all sizes, which gatherv, scatterv, alltoallv and alltoallw
 * do not grant. */
const struct wm_shape *wm_shape_to_combine(struct wm_planner *planner, const struct wm_wrapper *self, int param,
                                           const struct wm_group *group);
const struct wm_shape *wm_shape_to_scan(struct wm_planner *planner, const struct wm_wrapper *self, int param,
                                        const struct wm_group *group);
const struct wm_shape *wm_shape_to_move(struct wm_planner *planner, const struct wm_wrapper *self, int param,
                                        const struct wm_group *group);

/* Recursive multiplying by the shape's number, 2: doubling. Everyone ends with everyone's value, combined in one
 * fixed order, whatever `ordered` says. */
void wm_butterfly_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                          bool ordered);
/* The same of shares: from its share at each member to the whole block. */
void wm_butterfly_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);
/* The opposite, from near to far: each member ends with its share of everyone's value. */
void wm_multiply_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                         bool ordered);

/* Recursive halving: each member ends with its share of everyone's value. log2 n α + (n-1)/n m (β + γ).
 * Ibid., 4.4 and 4.5 (Rabenseifner). */
void wm_halving_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                        bool ordered);
/* Shares are spread by doubling. */
void wm_halving_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);

/* Ring: the same two with n-1 rounds between neighbours. (n-1) α + (n-1)/n m (β + γ). */
void wm_ring_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                     bool ordered);
void wm_ring_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);
/* Double ring: whole values once round, then the result. 2 (n-1) (α + m β) and γ on the first. */
void wm_ring_pass(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape, bool ordered);

/* Direct: the same two with one message between each two members. `shape` is flat: all at once, or so many at a time;
 * or pairwise: in rounds. */
void wm_direct_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                       bool ordered);
void wm_direct_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);

/* Spread shares: neighbour exchange (an odd size: ring), and Bruck's. */
void wm_exchange_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);
void wm_bruck_spread(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape);

/* Everyone ends with everyone's value, counted more than once: for values that bear it, those of a barrier. */
void wm_dissemination_combine(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                              bool ordered);

/* Combined at the shape's root and spread from there; and by shares, which are combined, then spread. */
void wm_all_by_root(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                    bool ordered);
void wm_all_by_shares(struct wm_planner *planner, const struct wm_group *group, const struct wm_shape *shape,
                      bool ordered);

/* A round in which a member hears from several others: `peers`, in the order of members, `own` of them before it;
 * sets[i] is whose contributions peers[i] has. */
struct wm_round {
    int count, own;
    int *peers;
    const struct wm_rank_set **sets;
    struct wm_ref *places; /* where messages stand until they are combined; NULL: no memory */
};

/* Room for `peers` messages of `count` units, to be used in round after round. */
struct wm_round wm_round_make(struct wm_planner *planner, int peers, size_t count);
/* Receive what the peers have for the block of `count` units at `offset`, and combine it with the value; `ordered`: in
 * the order of members, so that all who do that have the same bits. To be listed behind the round's sends. */
void wm_round_combine(struct wm_planner *planner, const struct wm_round *round, struct wm_value *value, size_t offset,
                      size_t count, bool ordered);

/* Go on with one's own share of the block, whose value the flow holds already, and come back to the whole, which then
 * stands at home; `whole` keeps the flow meanwhile. */
void wm_share_enter(struct wm_planner *planner, const struct wm_group *group, struct wm_flow *whole);
void wm_share_leave(struct wm_planner *planner, const struct wm_flow *whole);

/* A window on messages that touch different places: each waits for the one `width` before it. Messages between two
 * members must have the same number at both, or one of the two members must do without a window; then no circle can
 * arise, since a message waits for those with lower numbers alone. */
struct wm_window {
    int width; /* 0: no limit */
    int next;
    int *steps; /* of the last `width` messages */
};

struct wm_window wm_window_make(struct wm_planner *planner, const struct wm_group *group, int width);
/* The message of `count` units that is asked for next waits for its turn. */
void wm_window_open(struct wm_planner *planner, const struct wm_window *window, size_t count);
/* That message is step `step`. */
void wm_window_pass(struct wm_window *window, int step);

#endif
