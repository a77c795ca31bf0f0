/* The order of a path: blocks of ranks arranged so that what any group of any stage holds is one range.
 *
 * Ranks are sorted by their coordinates along the stages' axes, the most significant stage first: the stage that splits
 * the data last on its way together, or first on its way apart. A place is a number in that order. Level 0 is the range
 * of all places; the range of a place at level l holds the places that share its first l coordinates. A stage of
 * significance q turns ranges of level q into ranges of level q + 1, one for each member of a group, or the reverse. */
#ifndef WM_ORDER_H
#define WM_ORDER_H

#include "core/path/path.h"

struct wm_order {
    int ranks, depth;
    bool identity;                        /* place == rank */
    int significance[WM_PATH_STAGES_MAX]; /* by stage */
    int *rank_at, *place_of;
    int *row;        /* row[place]: so many places from it on have ranks at one distance */
    int *low, *high; /* low[level * ranks + place] … high[…]-1: the range of a place at a level */
};

/* The order for `path`, from the coordinates of all ranks: coordinates[rank * stage_count + column[stage]].
 * NULL: out of memory. */
struct wm_order *wm_order_new(const struct wm_path *path, int ranks, const int *coordinates, const int *column);
void wm_order_free(struct wm_order *order);

#endif
