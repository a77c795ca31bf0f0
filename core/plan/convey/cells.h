/* Cells: the box that routes are made over, and the ranks that stand for its cells. Pure.
 *
 * The box's sides are the largest sizes of the axes that a route names, outermost first. A cell is a list of
 * coordinates, one an axis. A rank's own cell has its coordinates; a cell without a rank is *hosted*: along each axis,
 * outermost first, its coordinate is taken modulo the groups that there are. So the cells of a rank are those whose
 * coordinates exceed its own by multiples of these numbers; they are numbered in the order of coordinates, the last
 * axis' fastest, and its own is number 0. Everybody computes the same numbers. */
#ifndef WM_CONVEY_CELLS_H
#define WM_CONVEY_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/path/grid.h"

enum { WM_CELLS_AXES_MAX = 4 };

struct wm_cells {
    int ranks, axes;
    int size[WM_CELLS_AXES_MAX];
    bool arithmetic;               /* the box is full, and a rank is the sum of coordinate × stride: no tables */
    int stride[WM_CELLS_AXES_MAX]; /* arithmetic */
    int *coordinates;              /* [ranks × axes] */
    /* A tree otherwise: children of group g of level l are the groups first[l][g] to first[l][g + 1] - 1 of the level
     * below it, and those of the last level are places in rank_at. Level 0 has one group. */
    int *first[WM_CELLS_AXES_MAX];
    int *rank_at; /* [ranks] */
};

/* Along `axes` of the grid, `count` of them in its order, or {WM_AXIS_ALL}. Returns 0 or -WM_ENOMEM; what was made so
 * far is then for wm_cells_release. */
int wm_cells_init(struct wm_cells *cells, const struct wm_grid *grid, const int *axes, int count);
void wm_cells_release(struct wm_cells *cells);

/* The rank that stands for `cell`, coordinates within the box, and the cell's number there. */
int wm_cells_host(const struct wm_cells *cells, const int *cell, int *number);

/* How many cells a rank stands for. May exceed what an int holds where grids are very ragged. */
int64_t wm_cells_count(const struct wm_cells *cells, int rank);

/* The coordinates of cell `number` of a rank. */
void wm_cells_place(const struct wm_cells *cells, int rank, int number, int *cell);

/* Bytes of its tables. */
size_t wm_cells_bytes(const struct wm_cells *cells);

#endif
