/* The order of a path: ranks sorted by coordinates, and the ranges of every level. */
#include "core/path/order.h"

#include <stdlib.h>

struct sorting {
    const int *coordinates;
    int depth;
    int column[WM_PATH_STAGES_MAX]; /* by significance */
};

static int compare_to(const struct sorting *s, int a, int b, int levels)
{
    for (int l = 0; l < levels; l++) {
        int difference = s->coordinates[a * s->depth + s->column[l]] - s->coordinates[b * s->depth + s->column[l]];

        if (difference != 0)
            return difference;
    }
    return 0;
}

static int compare(const void *left, const void *right, void *data)
{
    const struct sorting *s = data;
    int a = *(const int *)left, b = *(const int *)right, difference = compare_to(s, a, b, s->depth);

    return difference != 0 ? difference : a - b;
}

/* Data that converges is split last stage first. Data that is dealt out is split first by the stages that do so on the
 * way in, in turn, then by the folds on the way out, the innermost first. */
static void find_significance(struct wm_order *o, const struct wm_path *path)
{
    bool converges = wm_operation_data(path->operation) == WM_DATA_BLOCKS && !wm_operation_combines(path->operation) &&
                     wm_operation_flow(path->operation) != WM_FLOW_DOWN;
    bool down = wm_operation_flow(path->operation) == WM_FLOW_DOWN;
    int next = 0;

    for (int s = 0; s < path->stage_count; s++)
        if (converges)
            o->significance[s] = path->stage_count - 1 - s;
        else if (down || path->wrappers[path->stages[s]].service->stage != WM_STAGE_FOLD)
            o->significance[s] = next++;
    for (int s = path->stage_count - 1; !converges && !down && s >= 0; s--)
        if (path->wrappers[path->stages[s]].service->stage == WM_STAGE_FOLD)
            o->significance[s] = next++;
}

static void find_ranges(struct wm_order *o, const struct sorting *sorting)
{
    for (int level = 0; level <= o->depth; level++) {
        int *low = &o->low[level * o->ranks], *high = &o->high[level * o->ranks];

        for (int begin = 0, end; begin < o->ranks; begin = end) {
            for (end = begin + 1; end < o->ranks && compare_to(sorting, o->rank_at[begin], o->rank_at[end], level) == 0;
                 end++)
                ;
            for (int place = begin; place < end; place++) {
                low[place] = begin;
                high[place] = end;
            }
        }
    }
}

static void find_rows(struct wm_order *o)
{
    const int *rank = o->rank_at;

    for (int place = o->ranks - 1; place >= 0; place--) {
        int left = o->ranks - place;

        o->row[place] = left < 2 ? left : 2;
        if (left > 2 && rank[place + 2] - rank[place + 1] == rank[place + 1] - rank[place])
            o->row[place] = o->row[place + 1] + 1;
    }
}

struct wm_order *wm_order_new(const struct wm_path *path, int ranks, const int *coordinates, const int *column)
{
    size_t n = (size_t)ranks, levels = (size_t)path->stage_count + 1;
    struct wm_order *o = malloc(sizeof *o + sizeof(int) * n * (3 + 2 * levels));
    struct sorting sorting = {coordinates, path->stage_count, {0}};

    if (o == NULL)
        return NULL;
    *o = (struct wm_order){.ranks = ranks, .depth = path->stage_count, .identity = true};
    o->rank_at = (int *)(o + 1);
    o->place_of = o->rank_at + n;
    o->row = o->place_of + n;
    o->low = o->row + n;
    o->high = o->low + n * levels;
    find_significance(o, path);
    for (int s = 0; s < path->stage_count; s++)
        sorting.column[o->significance[s]] = column[s];
    for (int r = 0; r < ranks; r++)
        o->rank_at[r] = r;
    qsort_r(o->rank_at, n, sizeof(int), compare, &sorting);
    for (int place = 0; place < ranks; place++) {
        o->place_of[o->rank_at[place]] = place;
        o->identity = o->identity && o->rank_at[place] == place;
    }
    find_rows(o);
    find_ranges(o, &sorting);
    return o;
}

void wm_order_free(struct wm_order *order)
{
    free(order);
}
