/* Trees of shared steps: k-ary fan-in by caches, for groups larger than `fan`.
 *
 * Members are dealt into clusters of consecutive members, so that operators which do not commute stay in order: cut
 * where the last-level cache changes, and into equal parts of at most `fan`. The first of a cluster is its head. Heads
 * are dealt into clusters again, level by level, until no more than `fan` are left: the top. Caches that would leave
 * more than `fan` clusters, and of less than half of `fan` on average, are passed over.
 * Up, heads combine what their clusters post; at the top all read each other (allreduce, barrier) or the root reads all
 * (reduce); down, clusters read their heads. A bcast goes from the root to the top, then down. Costs, n members,
 * L levels, ⌈log n / log fan⌉ - 1 of them where caches do not matter:
 *   small allreduce, barrier: 2 L + 1 rounds, (2 L + 1) α + (L + 1) fan m γ, and no line is read by more than `fan`
 *   small bcast, reduce: L + 1 rounds
 * All members make the same tree: of `fan`, the group's size, and the caches that stand in the lane. */
#ifndef WM_SHARED_TREE_H
#define WM_SHARED_TREE_H

#include "core/shared/shared.h"
#include "core/shared/phase.h"

/* Caches leave fewer heads than there are members, every further level at most half of its elements, rounded up. */
enum { WM_SHARED_LEVELS_MAX = 30, WM_SHARED_FAN_MIN = 2, WM_SHARED_FAN = 8 };

/* A member's view. The elements of level 0 are all members, those of a level above are the heads of the level below. */
struct wm_shared_tree {
    int fan;    /* 0: not made yet */
    int levels; /* at least 1, then the top */
    int height; /* levels at which this member is a head */
    struct {
        const int *members; /* the head is the first */
        int count;
    } clusters[WM_SHARED_LEVELS_MAX + 1]; /* this member's at levels 0 … height; [levels]: the top, at every member */
    struct wm_shared_phase phases[2 * WM_SHARED_LEVELS_MAX + 1]; /* of the step under way */
    int room[];                                                  /* what the others point to */
};

/* For a group of `size`, not made yet. */
struct wm_shared_tree *wm_shared_tree_new(int size);
/* `caches`: a number for each member's, equal where they share one. fan >= WM_SHARED_FAN_MIN, size > fan. */
void wm_shared_tree_make(struct wm_shared_tree *tree, int fan, const int *caches, int size, int self);
/* The lane's tree, made when all members have told their caches; false: some have not begun such a step. */
bool wm_shared_tree_ready(struct wm_shared_lane *lane, int fan);

/* How many of the step's members are read by one another directly. In a crowded node, unless a map says otherwise, all
 * are: ranks that take turns on a processor pay for every round with a switch, and for lines with little. `crowded` is
 * the same at all members. */
static inline int wm_shared_fan(const struct wm_shared *step, bool crowded)
{
    if (step->fan == 0)
        return crowded ? step->size : WM_SHARED_FAN;
    return step->fan < WM_SHARED_FAN_MIN ? WM_SHARED_FAN_MIN : step->fan;
}

/* Lay out the phases of a bcast, reduce or allreduce; `packed`: values stand in the user's buffers as in slots. Returns
 * their number. */
int wm_shared_tree_phases(struct wm_shared_tree *tree, const struct wm_shared *step, bool packed);

#endif
