/* Copyings: ranges that come to stand one behind the other, copied in as few steps as may be. Ranges that follow each
 * other are one; equal ones at even distances are the blocks of one step. */
#ifndef WM_COPYING_H
#define WM_COPYING_H

#include "core/plan/planner.h"

/* What is to be copied next; all zero: nothing. `count` units of whole blocks, `blocks` of them, and `part` of the
 * block behind them. */
struct wm_copying {
    struct wm_ref from, to;
    struct wm_stride stride; /* one block: the distance is 0 */
    size_t count, part, blocks;
};

/* Copy a range, now or later: until wm_copying_end nothing else may touch it, or its target. */
void wm_copying_add(struct wm_planner *planner, struct wm_copying *copying, struct wm_ref from, struct wm_ref to,
                    size_t units);
/* The same of `blocks` ranges, the first at `from`. Of the stride, block and distance alone are looked at. */
void wm_copying_add_blocks(struct wm_planner *planner, struct wm_copying *copying, struct wm_ref from,
                           struct wm_stride stride, struct wm_ref to, size_t blocks);
/* Copy what is left. */
void wm_copying_end(struct wm_planner *planner, struct wm_copying *copying);

#endif
