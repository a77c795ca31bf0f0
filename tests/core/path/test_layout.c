/* Layouts: groups, leaders and members that go on, for every direction of flow, placement and grid. */
#include <string.h>
#include "core/path/layout.h"
#include "tests/check.h"
#include "tests/fixture.h"

/* Every group of a stage, "0* 1 | 2 3*": its ranks, the leader starred, a group that is not live in (). */
static void write_stage(const struct wm_stage_layout *stage, char *text, size_t bytes)
{
    text[0] = '\0';
    for (int g = 0; g < stage->group_count; g++) {
        snprintf(text + strlen(text), bytes - strlen(text), "%s%s", g > 0 ? " | " : "", stage->live[g] ? "" : "(");
        for (int i = stage->first[g]; i < stage->first[g + 1]; i++)
            snprintf(text + strlen(text), bytes - strlen(text), "%s%d%s", i > stage->first[g] ? " " : "",
                     stage->members[i], i - stage->first[g] == stage->leader[g] ? "*" : "");
        snprintf(text + strlen(text), bytes - strlen(text), "%s", stage->live[g] ? "" : ")");
    }
}

/* group[] and index[] say the same as members[]. */
static bool agrees(const struct wm_layout *layout, const struct wm_stage_layout *stage)
{
    int taking_part = 0;

    for (int g = 0; g < stage->group_count; g++)
        for (int i = stage->first[g]; i < stage->first[g + 1]; i++)
            if (stage->group[stage->members[i]] != g || stage->index[stage->members[i]] != i - stage->first[g])
                return false;
    for (int r = 0; r < layout->ranks; r++)
        taking_part += stage->group[r] >= 0;
    return taking_part == stage->first[stage->group_count];
}

static void check_layout(const char *machine, enum wm_operation operation, int root, const char *wrappers,
                         const char *first, const char *second)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_layout *layout;
    struct wm_path *path;
    char text[512];

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, operation, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL_FATAL(wm_layout_new(&layout, path, &grid, root, false, &error), 0);
    CU_ASSERT_EQUAL(layout->ranks, grid.ranks);
    CU_ASSERT_EQUAL(layout->stage_count, second != NULL ? 2 : 1);
    for (int s = 0; s < layout->stage_count; s++) {
        write_stage(&layout->stages[s], text, sizeof text);
        CU_ASSERT_STRING_EQUAL(text, s == 0 ? first : second);
        CU_ASSERT(agrees(layout, &layout->stages[s]));
        CU_ASSERT_PTR_NULL(layout->stages[s].sets);
    }
    wm_layout_free(layout);
    wm_path_free(path);
    wm_grid_release(&grid);
}

#define STAGE(name, axis) "{'wrapper': '" name "', 'arguments': [{'axis': '" axis "'}]}"
#define TWO(a, x, b, y) "[" STAGE(a, x) ", " STAGE(b, y) "]"

static void layout__all_is_one_group(void)
{
    check_layout("node=2,core=2,order=cyclic", WM_ALLREDUCE, -1, "[" STAGE("reduce", "all") "]", "0* 1 2 3", NULL);
    check_layout("core=4", WM_BCAST, 2, "[" STAGE("bcast", "all") "]", "0 1 2* 3", NULL);
}

static void layout__a_fold_leaves_one_leader_a_group(void)
{
    check_layout("node=2,core=3", WM_ALLREDUCE, -1, TWO("reduce", "core", "reduce", "node"), "0* 1 2 | 3* 4 5", "0* 3");
    check_layout("node=2,core=3,order=cyclic", WM_ALLREDUCE, -1, TWO("reduce", "core", "reduce", "node"),
                 "0* 2 4 | 1* 3 5", "0* 1");
    check_layout("node=2,core=3", WM_ALLREDUCE, -1, TWO("reduce", "node", "reduce", "core"), "0* 3 | 1* 4 | 2* 5",
                 "0* 1 2");
}

static void layout__a_shard_keeps_every_member_apart(void)
{
    check_layout("node=2,core=2", WM_ALLREDUCE, -1, TWO("reduce-scatter", "core", "allreduce", "node"), "0* 1 | 2* 3",
                 "0* 2 | 1* 3");
}

static void layout__the_root_leads_and_its_coordinates_lead_elsewhere(void)
{
    check_layout("node=2,core=3", WM_REDUCE, 4, TWO("reduce", "core", "reduce", "node"), "(0 1* 2) | 3 4* 5", "1 4*");
    check_layout("node=2,core=2", WM_REDUCE, 3, TWO("reduce-scatter", "core", "reduce", "node"), "(0 1*) | 2 3*",
                 "0 2* | 1 3*");
}

static void layout__a_root_whose_coordinate_is_missing_elsewhere_leads_by_the_first(void)
{
    check_layout("node=2,core=3+1", WM_REDUCE, 2, TWO("reduce", "core", "reduce", "node"), "0 1 2* | (3*)", "2* 3");
}

static void layout__a_bcast_goes_down_last_stage_first(void)
{
    check_layout("node=2,core=2", WM_BCAST, 1, TWO("bcast", "node", "bcast", "core"), "1* 3", "0 1* | 2 3*");
    check_layout("node=2,core=2", WM_BCAST, 1, TWO("bcast", "core", "bcast", "node"), "0 1*", "0* 2 | 1* 3");
}

static void layout__ragged_nodes_fold(void)
{
    check_layout("node=3,core=2+1", WM_ALLREDUCE, -1, TWO("reduce", "core", "allreduce", "node"), "0* 1 | 2* | 3* 4",
                 "0* 2 3");
    check_layout("node=2,core=1+2,order=cyclic", WM_BCAST, 1, TWO("bcast", "node", "bcast", "core"), "0 1*",
                 "0* | 1* 2");
}

static void layout__an_explicit_trees_root_leads_where_there_is_none(void)
{
    check_layout(
        "node=2,core=3", WM_ALLREDUCE, -1,
        "[{'wrapper': 'reduce', 'arguments': [{'axis': 'core'}], 'keywords': {'shape': {'tree': [2, 0, 1]}}}, " STAGE(
            "reduce", "node") "]",
        "0 1 2* | 3 4 5*", "2* 5");
}

static void check_refused(const char *machine, enum wm_operation operation, const char *wrappers, int line,
                          const char *expected)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_layout *layout;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, operation, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL(wm_layout_new(&layout, path, &grid, 0, false, &error), -WM_EPATH);
    CU_ASSERT_PTR_NULL(layout);
    CU_ASSERT_STRING_EQUAL(error.text, expected);
    CU_ASSERT_EQUAL(error.line, line);
    CU_ASSERT_EQUAL(error.column, 5);
    wm_path_free(path);
    wm_grid_release(&grid);
}

static void layout__a_shard_before_the_last_stage_needs_a_uniform_grid(void)
{
    check_refused(
        "node=2,core=2+1", WM_ALLREDUCE, TWO("reduce-scatter", "core", "allreduce", "node"), 1,
        "'reduce-scatter' over axis 'core' needs as many ranks in every group, but this grid is ragged; use a fold "
        "such as 'reduce' or 'bcast' there, or choose by (if uniform? … …)");
    check_refused(
        "node=2,core=2+1", WM_BCAST, TWO("scatter", "node", "bcast", "core"), 1,
        "'scatter' over axis 'node' needs as many ranks in every group, but this grid is ragged; use a fold such as "
        "'reduce' or 'bcast' there, or choose by (if uniform? … …)");
    check_layout("node=2,core=2+1", WM_ALLREDUCE, -1, TWO("reduce", "core", "reduce-scatter", "node"), "0* 1 | 2*",
                 "0* 2");
}

static void layout__an_explicit_tree_fits_every_group(void)
{
    check_refused(
        "node=2,core=3+2", WM_ALLREDUCE,
        "[{'wrapper': 'reduce', 'arguments': [{'axis': 'core'}], 'keywords': {'shape': {'tree': [0, 1, 2]}}}, " STAGE(
            "reduce", "node") "]",
        1,
        "the tree of 'reduce' names 3 members, but a group of axis 'core' has 2; write a tree for that number, or a "
        "procedure");
}

static void check_set(const struct wm_layout *layout, int stage, int rank, const char *wanted)
{
    const struct wm_rank_set *set = &layout->stages[stage].sets[rank];
    char text[256] = "";

    for (int i = 0; i < set->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d-%d", i > 0 ? " " : "", set->ranges[i].low,
                 set->ranges[i].high);
    CU_ASSERT_STRING_EQUAL(text, wanted);
}

static struct wm_layout *lay_sets(const char *machine, const char *first, const char *second)
{
    char wrappers[256];
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_layout *layout;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    snprintf(wrappers, sizeof wrappers, "[%s, %s]", first, second);
    path = fixture_path(wrappers, WM_ALLREDUCE, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL_FATAL(wm_layout_new(&layout, path, &grid, -1, true, &error), 0);
    wm_path_free(path);
    wm_grid_release(&grid);
    return layout;
}

static void layout__sets_follow_the_contributions(void)
{
    struct wm_layout *layout =
        lay_sets("node=2,core=3,order=cyclic", STAGE("reduce", "core"), STAGE("allreduce", "node"));

    check_set(layout, 0, 4, "4-4");
    check_set(layout, 1, 0, "0-0 2-2 4-4");
    check_set(layout, 1, 1, "1-1 3-3 5-5");
    CU_ASSERT_EQUAL(layout->stages[1].joined[0], 0);
    wm_layout_free(layout);
    wm_layout_free(NULL);
    layout = lay_sets("node=3,core=2", STAGE("reduce-scatter", "core"), STAGE("allreduce", "node"));
    for (int rank = 0; rank < 6; rank++)
        check_set(layout, 1, rank, rank < 2 ? "0-1" : rank < 4 ? "2-3" : "4-5");
    CU_ASSERT_PTR_EQUAL(layout->stages[1].sets[0].ranges, layout->stages[1].sets[1].ranges);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(layout->stages[1].joined[i], 2); /* members 0 2 4, then 1 3 5 */
    CU_ASSERT_EQUAL(layout->stages[1].joined[3], 5);
    wm_layout_free(layout);
}

/* A bit for each rank holds a set as well. */
static void rank_set__holds_what_was_added(void)
{
    enum { RANKS = 60 };
    uint64_t state = 1;

    for (int trial = 0; trial < 2000; trial++) {
        struct wm_rank_range ranges[RANKS];
        struct wm_rank_set set = {0, RANKS, ranges};
        uint64_t bits = 0, held = 0;

        for (int i = 0; i < 12; i++) {
            int low = (int)((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % RANKS;
            int high = low + (int)(state >> 60) % (RANKS - low);

            wm_rank_set_add(&set, low, high);
            for (int rank = low; rank <= high; rank++)
                bits |= UINT64_C(1) << rank;
        }
        for (int i = 0; i < set.count; i++) {
            CU_ASSERT(i == 0 || set.ranges[i - 1].high + 1 < set.ranges[i].low);
            for (int rank = set.ranges[i].low; rank <= set.ranges[i].high; rank++)
                held |= UINT64_C(1) << rank;
        }
        CU_ASSERT_EQUAL(held, bits);
    }
}

#define WITH(a, x, keywords) "{'wrapper': '" a "', 'arguments': [{'axis': '" x "'}], 'keywords': {" keywords "}}"
#define SHARED(a, x) WITH(a, x, "'shape': {'symbol': 'shared'}")
#define REMOTE(net) "{'wrapper': 'remote', 'arguments': [{'symbol': '" net "'}]}"
#define NEEDS_A_NODE(axis)                                                                                             \
    "shape 'shared needs ranks that share a node; axis '" axis "' joins ranks of different nodes, so choose another "  \
    "shape there"
#define SHARE_NO_MEMORY "joins ranks of different nodes, which share no memory; use 'auto or 'mpi"

static void layout__shared_shapes_stay_on_a_node(void)
{
    check_refused("node=2,core=2", WM_ALLREDUCE, "[" SHARED("reduce", "node") ", " STAGE("reduce", "core") "]", 1,
                  NEEDS_A_NODE("node"));
    check_refused("node=2,core=2", WM_ALLREDUCE, "[" STAGE("reduce", "core") ", " SHARED("allreduce", "node") "]", 2,
                  NEEDS_A_NODE("node"));
    check_refused("node=2,core=1", WM_BCAST, "[" SHARED("bcast", "all") "]", 1, NEEDS_A_NODE("all"));
    check_refused("node=2,core=1", WM_BCAST, "[" WITH("scatter", "all", "'out': {'symbol': 'shared'}") "]", 1,
                  NEEDS_A_NODE("all"));
    check_layout("core=3", WM_BCAST, 0, "[" SHARED("bcast", "all") "]", "0* 1 2", NULL);
    check_layout("node=2,core=2,order=cyclic", WM_BCAST, 0, "[" STAGE("bcast", "node") ", " SHARED("bcast", "core") "]",
                 "0* 1", "0* 2 | 1* 3");
}

/* One node, or one rank a node: groups of one need no memory. */
static void layout__groups_of_one_may_have_any_shape_and_net(void)
{
    check_layout("node=1,core=2", WM_BCAST, 0, "[" SHARED("bcast", "node") ", " SHARED("bcast", "core") "]", "0*",
                 "0* 1");
    check_layout("node=2,core=1", WM_BCAST, 0, "[" STAGE("bcast", "node") ", " SHARED("bcast", "core") "]", "0* 1",
                 "0* | 1*");
    check_layout("node=2,core=1", WM_BCAST, 0,
                 "[" STAGE("bcast", "node") ", " REMOTE("shm") ", " STAGE("bcast", "core") "]", "0* 1", "0* | 1*");
}

static void layout__remote_shm_stays_on_a_node(void)
{
    check_refused("node=2,core=2", WM_BCAST,
                  "[" REMOTE("shm") ", " STAGE("bcast", "node") ", " STAGE("bcast", "core") "]", 1,
                  "remote 'shm: the stage 'bcast node' " SHARE_NO_MEMORY);
    check_refused("node=2,core=2", WM_BCAST,
                  "[" STAGE("bcast", "core") ", " REMOTE("shm") ", " STAGE("bcast", "node") "]", 2,
                  "remote 'shm: the stage 'bcast node' " SHARE_NO_MEMORY);
    check_refused("node=2,core=2", WM_BCAST, "[" REMOTE("auto") ", " REMOTE("shm") ", " STAGE("bcast", "all") "]", 2,
                  "remote 'shm: the stage 'bcast all' " SHARE_NO_MEMORY);
    check_layout("node=2,core=2", WM_BCAST, 0,
                 "[" STAGE("bcast", "node") ", " REMOTE("shm") ", " STAGE("bcast", "core") "]", "0* 2", "0* 1 | 2* 3");
    check_layout("node=2,core=2", WM_BCAST, 0,
                 "[" REMOTE("shm") ", " STAGE("bcast", "core") ", " REMOTE("mpi") ", " STAGE("bcast", "node") "]",
                 "0* 1", "0* 2 | 1* 3");
}

static const struct check_case cases[] = {
    CASE(layout__all_is_one_group),
    CASE(layout__a_fold_leaves_one_leader_a_group),
    CASE(layout__a_shard_keeps_every_member_apart),
    CASE(layout__the_root_leads_and_its_coordinates_lead_elsewhere),
    CASE(layout__a_root_whose_coordinate_is_missing_elsewhere_leads_by_the_first),
    CASE(layout__a_bcast_goes_down_last_stage_first),
    CASE(layout__ragged_nodes_fold),
    CASE(layout__an_explicit_trees_root_leads_where_there_is_none),
    CASE(layout__a_shard_before_the_last_stage_needs_a_uniform_grid),
    CASE(layout__an_explicit_tree_fits_every_group),
    CASE(layout__sets_follow_the_contributions),
    CASE(rank_set__holds_what_was_added),
    CASE(layout__shared_shapes_stay_on_a_node),
    CASE(layout__groups_of_one_may_have_any_shape_and_net),
    CASE(layout__remote_shm_stays_on_a_node),
};

CHECK_MAIN("layout", cases)
