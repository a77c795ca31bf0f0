/* Orders: which stage counts most, and the ranges of ranks at every level, for every way data moves. */
#include <stdlib.h>
#include <string.h>
#include "core/path/order.h"
#include "tests/check.h"
#include "tests/fixture.h"

enum { STAGES_MAX = 3 };

#define STAGE(name, axis) "{'wrapper': '" name "', 'arguments': [{'axis': '" axis "'}]}"
#define ONE(a, x) "[" STAGE(a, x) "]"
#define TWO(a, x, b, y) "[" STAGE(a, x) ", " STAGE(b, y) "]"
#define THREE(a, x, b, y, c, z) "[" STAGE(a, x) ", " STAGE(b, y) ", " STAGE(c, z) "]"

/* The order of a path on a grid, with coordinates in the order of the grid's axes, as layouts have them. */
static struct wm_order *make_order(const struct wm_path *path, const struct wm_grid *grid)
{
    int axes[STAGES_MAX], column[STAGES_MAX], *coordinates;
    struct wm_order *order;

    CU_ASSERT_FATAL(path->stage_count <= STAGES_MAX);
    for (int s = 0; s < path->stage_count; s++) {
        int axis = path->wrappers[path->stages[s]].axis;

        column[s] = 0;
        for (int other = 0; other < path->stage_count; other++)
            column[s] += path->wrappers[path->stages[other]].axis < axis;
        axes[column[s]] = axis;
    }
    coordinates = calloc((size_t)grid->ranks * STAGES_MAX, sizeof *coordinates);
    CU_ASSERT_EQUAL_FATAL(wm_grid_coordinates(grid, axes, path->stage_count, coordinates), 0);
    order = wm_order_new(path, grid->ranks, coordinates, column);
    free(coordinates);
    return order;
}

/* The ranks in order, a bar between two ranges of the level: "0 2 | 1 3". */
static void write_level(const struct wm_order *o, int level, char *text, size_t bytes)
{
    const int *low = &o->low[level * o->ranks];

    text[0] = '\0';
    for (int place = 0; place < o->ranks; place++)
        snprintf(text + strlen(text), bytes - strlen(text), "%s%d",
                 place == 0            ? ""
                 : low[place] == place ? " | "
                                       : " ",
                 o->rank_at[place]);
}

static int count_row(const struct wm_order *o, int place)
{
    int count = 1, distance = place + 1 < o->ranks ? o->rank_at[place + 1] - o->rank_at[place] : 0;

    while (place + count < o->ranks && o->rank_at[place + count] == o->rank_at[place] + count * distance)
        count++;
    return count;
}

/* Every place of a range tells the same range and lies in it; ranges of a level lie within one of the level before. */
static bool is_sound(const struct wm_order *o)
{
    bool sound = true, identity = true;

    for (int level = 0; level <= o->depth; level++)
        for (int place = 0; place < o->ranks; place++) {
            const int *low = &o->low[level * o->ranks], *high = &o->high[level * o->ranks];

            sound = sound && low[place] <= place && place < high[place] && high[place] <= o->ranks;
            for (int other = low[place]; sound && other < high[place]; other++)
                sound = low[other] == low[place] && high[other] == high[place];
            sound =
                sound && (level == 0 || (low[place - o->ranks] <= low[place] && high[place] <= high[place - o->ranks]));
        }
    for (int place = 0; place < o->ranks; place++) {
        sound = sound && o->place_of[o->rank_at[place]] == place;
        identity = identity && o->rank_at[place] == place;
        sound = sound && o->row[place] == count_row(o, place);
    }
    return sound && identity == o->identity;
}

/* `significance` by stage, "10"; `levels` from level 1 on, the last of which is each rank by itself and left out. */
static void check_order(const char *machine, enum wm_operation operation, const char *wrappers,
                        const char *significance, const char *first, const char *second)
{
    const char *levels[] = {first, second};
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_order *order;
    struct wm_path *path;
    char text[256];

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, operation, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    order = make_order(path, &grid);
    CU_ASSERT_PTR_NOT_NULL_FATAL(order);
    CU_ASSERT_EQUAL(order->ranks, grid.ranks);
    CU_ASSERT_EQUAL_FATAL(order->depth, (int)strlen(significance));
    for (int s = 0; s < order->depth; s++)
        CU_ASSERT_EQUAL(order->significance[s], significance[s] - '0');
    CU_ASSERT(is_sound(order));
    write_level(order, 0, text, sizeof text);
    CU_ASSERT_PTR_NULL(strchr(text, '|'));
    for (int level = 1; level < order->depth; level++) {
        write_level(order, level, text, sizeof text);
        CU_ASSERT_STRING_EQUAL(text, levels[level - 1]);
    }
    for (int place = 0; place < order->ranks; place++)
        CU_ASSERT_EQUAL(order->high[order->depth * order->ranks + place] - place, 1);
    wm_order_free(order);
    wm_path_free(path);
    wm_grid_release(&grid);
}

/* The same, of one stage: the ranks in order. */
static void check_flat(const char *machine, enum wm_operation operation, const char *wrappers)
{
    check_order(machine, operation, wrappers, "0", NULL, NULL);
}

static void order__one_stage_keeps_the_order_of_ranks(void)
{
    check_flat("core=3", WM_GATHER, ONE("gather", "all"));
    check_flat("node=2,core=2,order=cyclic", WM_SCATTER, ONE("scatter", "all"));
    check_flat("node=2,core=2+1", WM_ALLTOALL, ONE("alltoall", "all"));
    check_flat("core=1", WM_REDUCE_SCATTER, ONE("reduce-scatter", "all"));
}

static void order__what_converges_counts_the_last_stage_most(void)
{
    check_order("node=2,core=3", WM_GATHER, TWO("gather", "core", "gather", "node"), "10", "0 1 2 | 3 4 5", NULL);
    check_order("node=2,core=3", WM_GATHER, TWO("gather", "node", "gather", "core"), "10", "0 3 | 1 4 | 2 5", NULL);
    check_order("node=2,core=2", WM_GATHERV, TWO("gather", "node", "gather", "core"), "10", "0 2 | 1 3", NULL);
    check_order("node=2,core=2", WM_ALLGATHER, TWO("allgather", "core", "allgather", "node"), "10", "0 1 | 2 3", NULL);
    check_order("node=2,core=2", WM_ALLGATHERV, TWO("allgather", "node", "allgather", "core"), "10", "0 2 | 1 3", NULL);
    check_order("node=2,core=2", WM_ALLGATHER, TWO("gather", "core", "allgather", "node"), "10", "0 1 | 2 3", NULL);
}

static void order__what_flows_down_counts_the_first_stage_most(void)
{
    check_order("node=2,core=3", WM_SCATTER, TWO("scatter", "node", "scatter", "core"), "01", "0 1 2 | 3 4 5", NULL);
    check_order("node=2,core=3", WM_SCATTERV, TWO("scatter", "core", "scatter", "node"), "01", "0 3 | 1 4 | 2 5", NULL);
}

static void order__shards_count_in_turn(void)
{
    check_order("node=2,core=2", WM_REDUCE_SCATTER, TWO("reduce-scatter", "core", "reduce-scatter", "node"), "01",
                "0 2 | 1 3", NULL);
    check_order("node=2,core=2", WM_REDUCE_SCATTER_BLOCK, TWO("reduce-scatter", "node", "reduce-scatter", "core"), "01",
                "0 1 | 2 3", NULL);
    check_order("node=2,core=2", WM_ALLTOALL, TWO("alltoall", "core", "alltoall", "node"), "01", "0 2 | 1 3", NULL);
    check_order("node=2,core=2", WM_ALLTOALLW, TWO("alltoall", "node", "alltoall", "core"), "01", "0 1 | 2 3", NULL);
}

static void order__folds_count_less_than_shards_and_the_innermost_most(void)
{
    check_order("node=2,core=2", WM_REDUCE_SCATTER, TWO("reduce", "core", "reduce", "node"), "10", "0 1 | 2 3", NULL);
    check_order("node=2,core=2", WM_REDUCE_SCATTER, TWO("reduce", "node", "reduce", "core"), "10", "0 2 | 1 3", NULL);
    check_order("node=2,core=2", WM_REDUCE_SCATTER, TWO("reduce", "core", "reduce-scatter", "node"), "10", "0 1 | 2 3",
                NULL);
    check_order("node=2,core=2", WM_REDUCE_SCATTER, TWO("reduce-scatter", "core", "reduce", "node"), "01", "0 2 | 1 3",
                NULL);
    check_order("node=2,core=2", WM_ALLTOALLV, TWO("gather", "core", "alltoall", "node"), "10", "0 1 | 2 3", NULL);
}

static void order__three_stages_nest(void)
{
    check_order("node=2,socket=2,core=4", WM_GATHER, THREE("gather", "core", "gather", "socket", "gather", "node"),
                "210", "0 1 2 3 | 4 5 6 7", "0 1 | 2 3 | 4 5 | 6 7");
    check_order("node=2,socket=2,core=4", WM_SCATTER, THREE("scatter", "socket", "scatter", "node", "scatter", "core"),
                "012", "0 1 4 5 | 2 3 6 7", "0 1 | 4 5 | 2 3 | 6 7");
    check_order("node=2,socket=2,core=4", WM_REDUCE_SCATTER,
                THREE("reduce", "core", "reduce-scatter", "socket", "reduce", "node"), "201", "0 1 4 5 | 2 3 6 7",
                "0 1 | 4 5 | 2 3 | 6 7");
}

static void order__ragged_nodes_have_ranges_of_their_sizes(void)
{
    check_order("node=3,core=3+1+2", WM_GATHER, TWO("gather", "core", "gather", "node"), "10", "0 1 2 | 3 | 4 5", NULL);
    check_order("node=3,core=3+1+2", WM_SCATTER, TWO("scatter", "core", "scatter", "node"), "01", "0 3 4 | 1 5 | 2",
                NULL);
}

static void order__ranks_dealt_out_round_robin_are_put_together(void)
{
    check_order("node=2,core=2,order=cyclic", WM_GATHER, TWO("gather", "core", "gather", "node"), "10", "0 2 | 1 3",
                NULL);
    check_order("node=2,core=2,order=cyclic", WM_GATHER, TWO("gather", "node", "gather", "core"), "10", "0 1 | 2 3",
                NULL);
    check_order("node=2,core=3+1,order=cyclic", WM_ALLGATHERV, TWO("gather", "core", "allgather", "node"), "10",
                "0 2 3 | 1", NULL);
    check_order("node=3,core=1+3+2,order=cyclic", WM_SCATTERV, TWO("scatter", "core", "scatter", "node"), "01",
                "0 1 2 | 3 4 | 5", NULL);
}

static const struct check_case cases[] = {
    CASE(order__one_stage_keeps_the_order_of_ranks),
    CASE(order__what_converges_counts_the_last_stage_most),
    CASE(order__what_flows_down_counts_the_first_stage_most),
    CASE(order__shards_count_in_turn),
    CASE(order__folds_count_less_than_shards_and_the_innermost_most),
    CASE(order__three_stages_nest),
    CASE(order__ragged_nodes_have_ranges_of_their_sizes),
    CASE(order__ranks_dealt_out_round_robin_are_put_together),
};

CHECK_MAIN("order", cases)
