/* Cells: the box that routes are made over, and the ranks that stand for its cells. */
#include "core/plan/convey/cells.h"

#include <stdlib.h>
#include <string.h>
#include "core/error.h"

struct standing {
    int cell[WM_CELLS_AXES_MAX];
    int rank;
};

static int compare_standing(const void *left, const void *right)
{
    const struct standing *a = left, *b = right;

    for (int i = 0; i < WM_CELLS_AXES_MAX; i++)
        if (a->cell[i] != b->cell[i])
            return a->cell[i] < b->cell[i] ? -1 : 1;
    return 0;
}

static void measure(struct wm_cells *cells)
{
    for (int i = 0; i < cells->axes; i++) {
        cells->size[i] = 1;
        for (int r = 0; r < cells->ranks; r++)
            if (cells->coordinates[r * cells->axes + i] >= cells->size[i])
                cells->size[i] = cells->coordinates[r * cells->axes + i] + 1;
    }
}

/* What a step along the axis adds to a rank, by the first rank one step away from rank 0's row. */
static int axis_stride(const struct wm_cells *cells, int axis)
{
    for (int r = 0; r < cells->ranks; r++) {
        const int *cell = &cells->coordinates[r * cells->axes];
        bool step = cell[axis] == 1;

        for (int i = 0; step && i < cells->axes; i++)
            step = i == axis || cell[i] == 0;
        if (step)
            return r;
    }
    return 1; /* a size of 1: the quotient is always taken modulo 1 */
}

static bool is_arithmetic(struct wm_cells *cells)
{
    int64_t box = 1;

    for (int i = 0; i < cells->axes; i++) {
        box *= cells->size[i];
        cells->stride[i] = axis_stride(cells, i);
        if (box > cells->ranks || cells->stride[i] == 0)
            return false;
    }
    if (box != cells->ranks)
        return false;
    for (int r = 0; r < cells->ranks; r++) {
        const int *cell = &cells->coordinates[r * cells->axes];
        int64_t sum = 0;

        for (int i = 0; i < cells->axes; i++) {
            sum += (int64_t)cell[i] * cells->stride[i];
            if (cell[i] != r / cells->stride[i] % cells->size[i])
                return false;
        }
        if (sum != r)
            return false;
    }
    return true;
}

static struct standing *sort_ranks(const struct wm_cells *cells)
{
    struct standing *sorted = calloc((size_t)cells->ranks, sizeof *sorted);

    for (int r = 0; sorted != NULL && r < cells->ranks; r++) {
        memcpy(sorted[r].cell, &cells->coordinates[r * cells->axes], sizeof *sorted[r].cell * (size_t)cells->axes);
        sorted[r].rank = r;
    }
    if (sorted != NULL)
        qsort(sorted, (size_t)cells->ranks, sizeof *sorted, compare_standing);
    return sorted;
}

/* Does a group of `level` begin at place `at`? */
static bool begins(const struct standing *sorted, int at, int level)
{
    return at == 0 || memcmp(sorted[at].cell, sorted[at - 1].cell, sizeof *sorted->cell * (size_t)level) != 0;
}

static int plant_level(struct wm_cells *cells, const struct standing *sorted, int level)
{
    int groups = 0, group = 0, children = 0;

    for (int i = 0; i < cells->ranks; i++)
        groups += begins(sorted, i, level);
    cells->first[level] = malloc(sizeof **cells->first * ((size_t)groups + 1));
    if (cells->first[level] == NULL)
        return -WM_ENOMEM;
    for (int i = 0; i < cells->ranks; i++) {
        if (begins(sorted, i, level))
            cells->first[level][group++] = children;
        children += begins(sorted, i, level + 1);
    }
    cells->first[level][groups] = children;
    return 0;
}

static int plant_tree(struct wm_cells *cells)
{
    struct standing *sorted = sort_ranks(cells);
    int rc = sorted == NULL ? -WM_ENOMEM : 0;

    cells->rank_at = malloc(sizeof *cells->rank_at * (size_t)cells->ranks);
    if (cells->rank_at == NULL)
        rc = -WM_ENOMEM;
    for (int level = 0; rc == 0 && level < cells->axes; level++)
        rc = plant_level(cells, sorted, level);
    for (int i = 0; rc == 0 && i < cells->ranks; i++)
        cells->rank_at[i] = sorted[i].rank;
    free(sorted);
    return rc;
}

int wm_cells_init(struct wm_cells *cells, const struct wm_grid *grid, const int *axes, int count)
{
    int rc;

    memset(cells, 0, sizeof *cells);
    cells->ranks = grid->ranks;
    cells->axes = count;
    cells->coordinates = malloc(sizeof *cells->coordinates * (size_t)grid->ranks * (size_t)count);
    if (cells->coordinates == NULL)
        return -WM_ENOMEM;
    if ((rc = wm_grid_coordinates(grid, axes, count, cells->coordinates)) < 0)
        return rc;
    measure(cells);
    cells->arithmetic = is_arithmetic(cells);
    if (!cells->arithmetic)
        return plant_tree(cells);
    free(cells->coordinates);
    cells->coordinates = NULL;
    return 0;
}

void wm_cells_release(struct wm_cells *cells)
{
    for (int i = 0; i < cells->axes; i++)
        free(cells->first[i]);
    free(cells->rank_at);
    free(cells->coordinates);
    memset(cells, 0, sizeof *cells);
}

/* Go down one level of the tree by a coordinate; returns how many groups there are. */
static int descend(const struct wm_cells *cells, int level, int coordinate, int *group)
{
    const int *first = &cells->first[level][*group];
    int groups = first[1] - first[0];

    *group = first[0] + coordinate % groups;
    return groups;
}

/* Of the cells along an axis that one group stands for: those with a coordinate of `least` plus multiples of `groups`.
 */
static int reach(int size, int least, int groups)
{
    return (size - least - 1) / groups + 1;
}

int wm_cells_host(const struct wm_cells *cells, const int *cell, int *number)
{
    int rank = 0, group = 0;

    *number = 0;
    if (cells->arithmetic) {
        for (int i = 0; i < cells->axes; i++)
            rank += cell[i] * cells->stride[i];
        return rank;
    }
    for (int i = 0; i < cells->axes; i++) {
        int groups = descend(cells, i, cell[i], &group);

        *number = *number * reach(cells->size[i], cell[i] % groups, groups) + cell[i] / groups;
    }
    return cells->rank_at[group];
}

int64_t wm_cells_count(const struct wm_cells *cells, int rank)
{
    int64_t count = 1;
    int group = 0;

    for (int i = 0; !cells->arithmetic && i < cells->axes; i++) {
        int own = cells->coordinates[rank * cells->axes + i];
        int groups = descend(cells, i, own, &group);

        count *= reach(cells->size[i], own, groups);
    }
    return count;
}

void wm_cells_place(const struct wm_cells *cells, int rank, int number, int *cell)
{
    int group = 0, groups[WM_CELLS_AXES_MAX];

    if (cells->arithmetic) {
        for (int i = 0; i < cells->axes; i++)
            cell[i] = rank / cells->stride[i] % cells->size[i];
        return;
    }
    memcpy(cell, &cells->coordinates[rank * cells->axes], sizeof *cell * (size_t)cells->axes);
    if (number == 0)
        return;
    for (int i = 0; i < cells->axes; i++)
        groups[i] = descend(cells, i, cell[i], &group);
    for (int i = cells->axes - 1; i >= 0; i--) {
        int count = reach(cells->size[i], cell[i], groups[i]);

        cell[i] += number % count * groups[i];
        number /= count;
    }
}

size_t wm_cells_bytes(const struct wm_cells *cells)
{
    size_t ints = 0, groups = 1;

    if (cells->arithmetic)
        return 0;
    for (int i = 0; i < cells->axes; i++) {
        ints += groups + 1;
        groups = (size_t)cells->first[i][groups];
    }
    return sizeof(int) * (ints + (size_t)cells->ranks * ((size_t)cells->axes + 1));
}
