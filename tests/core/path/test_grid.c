/* Grids: declarations, coordinates, raggedness, and machines written out as text. */
#include <stdlib.h>
#include <string.h>
#include "core/path/grid.h"
#include "tests/check.h"

static int open_grid(struct wm_grid *grid, const char *machine, const char *spec, struct wm_error *error)
{
    struct wm_place *places = NULL;
    json_t *json = spec != NULL ? json_loads(spec, 0, NULL) : NULL;
    int ranks, rc;

    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine(machine, &places, &ranks, error), 0);
    rc = wm_grid_init(grid, json, ranks, places, error);
    json_decref(json);
    free(places);
    return rc;
}

/* Coordinates of all ranks along the axes named, "0.0 0.1 1.0 1.1". */
static void check_coordinates(const char *machine, const char *spec, const char *first, const char *second,
                              const char *expected)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    int axes[2], count = second != NULL ? 2 : 1, *coordinates;
    char text[512] = "";

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, machine, spec, &error), 0);
    axes[0] = wm_grid_axis_find(&grid, first);
    axes[1] = second != NULL ? wm_grid_axis_find(&grid, second) : -1;
    coordinates = calloc((size_t)grid.ranks * 2, sizeof *coordinates);
    CU_ASSERT_EQUAL(wm_grid_coordinates(&grid, axes, count, coordinates), 0);
    for (int r = 0; r < grid.ranks; r++)
        for (int i = 0; i < count; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d",
                     i > 0   ? "."
                     : r > 0 ? " "
                             : "",
                     coordinates[r * count + i]);
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(coordinates);
    wm_grid_release(&grid);
}

static void check_error(const char *machine, const char *spec, int line, const char *expected)
{
    struct wm_error error = {0};
    struct wm_grid grid;

    CU_ASSERT_EQUAL(open_grid(&grid, machine, spec, &error), -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, expected);
    CU_ASSERT_EQUAL(error.line, line);
    CU_ASSERT_EQUAL(error.column, line > 0 ? 9 : 0);
    for (int i = 0; i < WM_GRID_AXES_MAX; i++)
        CU_ASSERT_PTR_NULL(grid.axes[i].group);
}

#define AT ", \"line\": 4, \"column\": 9}"

static void grid__default_has_seven_axes(void)
{
    struct wm_error error = {0};
    struct wm_grid grid;

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "cluster=2,node=4,core=4,socket=2", "null", &error), 0);
    CU_ASSERT_EQUAL(grid.axis_count, 7);
    CU_ASSERT_STRING_EQUAL(wm_grid_axis_name(&grid, 0), "cluster");
    CU_ASSERT_EQUAL(wm_grid_axis_find(&grid, "core"), 6);
    CU_ASSERT_EQUAL(wm_grid_axis_find(&grid, "rack"), -1);
    CU_ASSERT_EQUAL(wm_grid_axis_find(&grid, "all"), WM_AXIS_ALL);
    CU_ASSERT_STRING_EQUAL(wm_grid_axis_name(&grid, WM_AXIS_ALL), "all");
    CU_ASSERT(grid.axes[wm_grid_axis_find(&grid, "socket")].optional);
    CU_ASSERT(grid.axes[wm_grid_axis_find(&grid, "numa")].optional);
    CU_ASSERT(grid.axes[0].optional);
    CU_ASSERT_FALSE(grid.axes[1].optional);
    CU_ASSERT(grid.axes[wm_grid_axis_find(&grid, "process")].optional);
    CU_ASSERT(grid.axes[wm_grid_axis_find(&grid, "sibling")].optional);
    CU_ASSERT_FALSE(grid.axes[6].optional);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, 0), 2);
    CU_ASSERT_EQUAL(wm_grid_count_clusters(&grid), 2);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, 1), 4);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, wm_grid_axis_find(&grid, "socket")), 8);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, 6), 16);
    wm_grid_release(&grid);
}

static void grid__a_core_without_sockets_named_spans_the_node(void)
{
    check_coordinates("node=2,core=4,socket=2", NULL, "node", "core", "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3");
}

static void grid__a_core_within_named_sockets_counts_from_each(void)
{
    check_coordinates("node=1,core=4,socket=2", NULL, "socket", "core", "0.0 0.1 1.0 1.1");
    check_coordinates("node=2,core=2,socket=2", NULL, "node", "socket", "0.0 0.1 1.0 1.1");
}

static void grid__all_spans_every_rank(void)
{
    check_coordinates("node=2,core=2,order=cyclic", NULL, "all", NULL, "0 1 2 3");
}

static void grid__round_robin_ranks_have_their_coordinates(void)
{
    check_coordinates("node=2,core=3,order=cyclic", NULL, "node", "core", "0.0 1.0 0.1 1.1 0.2 1.2");
}

static void grid__ragged_nodes_have_their_coordinates(void)
{
    check_coordinates("node=3,core=3+1", NULL, "node", "core", "0.0 0.1 0.2 1.0 2.0 2.1 2.2");
    check_coordinates("node=2,core=1+3,order=cyclic", NULL, "node", "core", "0.0 1.0 1.1 1.2");
}

static void grid__siblings_are_of_one_process(void)
{
    check_coordinates("node=1,core=2,sibling=2", "null", "process", "sibling", "0.0 0.1 1.0 1.1");
    check_coordinates("node=2,core=1,sibling=2,order=cyclic", "null", "node", "core", "0.0 0.1 1.0 1.1");
    check_coordinates("node=1,core=2,sibling=2", "null", "core", NULL, "0 1 2 3");
    check_coordinates("node=1,core=4", "[{\"axis\": \"process\"}, {\"axis\": \"sibling\"}]", "process", "sibling",
                      "0.0 1.0 2.0 3.0");
}

static void grid__counts_take_ranks_in_order(void)
{
    check_coordinates("core=8", "[{\"axis\": \"node\", \"count\": 2}, {\"axis\": \"core\", \"count\": 4}]", "node",
                      "core", "0.0 0.1 0.2 0.3 1.0 1.1 1.2 1.3");
    check_coordinates("core=6", "[{\"axis\": \"node\"}, {\"axis\": \"core\", \"count\": 4}]", "node", "core",
                      "0.0 0.1 0.2 0.3 1.0 1.1");
}

static void grid__counts_need_not_be_filled(void)
{
    check_coordinates("core=5", "[{\"axis\": \"a\", \"count\": 2}, {\"axis\": \"b\", \"count\": 3}]", "a", "b",
                      "0.0 0.1 0.2 1.0 1.1");
}

static void grid__groups_of_ranks_are_numbered_by_their_first_rank(void)
{
    check_coordinates("core=4", "[{\"axis\": \"half\", \"ranks\": [[1, 3], [0, 2]]}, {\"axis\": \"core\"}]", "half",
                      "core", "0.0 1.0 0.1 1.1");
}

static void grid__groups_of_hosts_match_globs_in_order(void)
{
    check_coordinates(
        "node=4,core=1",
        "[{\"axis\": \"cluster\", \"hosts\": [[\"node3\"], [\"node[01]\", \"node?\"]]}, {\"axis\": \"node\"}, "
        "{\"axis\": \"core\"}]",
        "cluster", "node", "0.0 0.1 0.2 1.0");
}

static void grid__groups_of_hosts_are_of_a_machine_with_names(void)
{
    check_coordinates(
        "host=a1+b1+a2,core=2+1",
        "[{\"axis\": \"rack\", \"hosts\": [[\"a?\"], [\"b1\"]]}, {\"axis\": \"node\"}, {\"axis\": \"core\"}]", "rack",
        "node", "0.0 0.0 1.0 0.1 0.1");
}

static void grid__inner_groups_lie_within_the_outer(void)
{
    struct wm_error error = {0};
    struct wm_grid grid;

    CU_ASSERT_EQUAL_FATAL(
        open_grid(&grid, "node=2,core=2",
                  "[{\"axis\": \"half\", \"ranks\": [[0, 3], [1, 2]]}, {\"axis\": \"node\"}, {\"axis\": \"core\"}]",
                  &error),
        0);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, wm_grid_axis_find(&grid, "node")), 4);
    wm_grid_release(&grid);
}

static void grid__a_rank_or_host_in_no_group_is_named(void)
{
    check_error("core=4", "[{\"axis\": \"half\", \"ranks\": [[0, 1], [3]]" AT ", {\"axis\": \"core\"}]", 4,
                "rank 2 is in no group of axis 'half'; add it to one");
    check_error("node=2,core=2",
                "[{\"axis\": \"cluster\", \"hosts\": [[\"node0\"], [\"h*\"]]" AT ", {\"axis\": \"core\"}]", 4,
                "host 'node1' is in no group of axis 'cluster'; add its name or a glob to one");
}

static void grid__an_axis_stands_once(void)
{
    check_error("core=4", "[{\"axis\": \"node\"}, {\"axis\": \"node\"" AT "]", 4,
                "axis 'node' stands twice in the grid");
}

static void grid__a_name_that_cannot_be(void)
{
    check_error("core=4", "[{\"axis\": \"all\"" AT "]", 4, "an axis cannot be called 'all'");
    check_error("core=4", "[{\"axis\": \"a-name-that-is-much-too-long-for-it\"" AT "]", 4,
                "an axis cannot be called 'a-name-that-is-much-too-long-for-it'");
}

static void grid__counts_that_cannot_be(void)
{
    check_error("core=4", "[{\"axis\": \"core\", \"count\": 0" AT "]", 4,
                "axis 'core' needs a count from 1 to 16777216");
    check_error("core=4", "[{\"axis\": \"core\", \"count\": 16777217" AT "]", 4,
                "axis 'core' needs a count from 1 to 16777216");
    check_error("core=4", "[{\"axis\": \"node\", \"count\": 2" AT ", {\"axis\": \"core\"}]", 4,
                "axis 'node' has a count, but an axis inside it has none; give all of them counts");
    check_error("core=7", "[{\"axis\": \"node\", \"count\": 2" AT ", {\"axis\": \"core\", \"count\": 3}]", 4,
                "the grid has places for 6 ranks, but the job has a rank 6; raise the counts");
}

static void grid__counts_may_multiply_to_any_number(void)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    char spec[1024] = "[{\"axis\": \"outer\"}";

    for (int i = 0; i < WM_GRID_AXES_MAX - 1; i++) /* 2^64 and more together */
        sprintf(spec + strlen(spec), ", {\"axis\": \"a%d\", \"count\": 16777216}", i);
    strcat(spec, "]");
    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "core=4", spec, &error), 0);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, 0), 1);
    CU_ASSERT_EQUAL(wm_grid_group_count(&grid, WM_GRID_AXES_MAX - 1), 4);
    wm_grid_release(&grid);
}

static void grid__has_at_most_eight_axes(void)
{
    char spec[1024] = "[{\"axis\": \"a\"}";

    for (int i = 1; i <= WM_GRID_AXES_MAX; i++)
        sprintf(spec + strlen(spec), ", {\"axis\": \"a%d\"%s", i, i == WM_GRID_AXES_MAX ? AT : "}");
    check_error("core=4", strcat(spec, "]"), 4, "a grid has 1 to 8 axes");
}

/* The names of the grid's axes, with a '?' behind optional ones. */
static void check_axes(const char *spec, const char *expected)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    char text[256] = "";

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "core=2", spec, &error), 0);
    for (int i = 0; i < grid.axis_count && i < WM_GRID_AXES_MAX; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", i > 0 ? " " : "", grid.axes[i].name,
                 grid.axes[i].optional ? "?" : "");
    CU_ASSERT_STRING_EQUAL(text, expected);
    wm_grid_release(&grid);
}

#define OUTER(name) "{\"axis\": \"" name "\", \"ranks\": [[0, 1]]}, "

static void grid__optional_axes_stand_before_core(void)
{
    check_axes("[{\"axis\": \"node\"}, {\"axis\": \"core\"}]", "node socket? numa? process? sibling? core");
    check_axes("[{\"axis\": \"socket\"}, {\"axis\": \"core\"}]", "socket numa? process? sibling? core");
    check_axes("[{\"axis\": \"half\"}, {\"axis\": \"core\", \"count\": 2}]", "half core");
    check_axes("[" OUTER("a") OUTER("b") OUTER("c") OUTER("d") OUTER("e") OUTER("f") "{\"axis\": \"core\"}]",
               "a b c d e f socket? core");
    check_axes("[" OUTER("a") OUTER("b") OUTER("c") OUTER("d") OUTER("e") OUTER("f") OUTER("g") "{\"axis\": \"core\"}]",
               "a b c d e f g core");
}

static void grid__an_axis_that_the_machine_does_not_know(void)
{
    check_error("core=4", "[{\"axis\": \"rack\"" AT ", {\"axis\": \"core\"}]", 4,
                "the machine knows no axis 'rack'; give it a count, groups of ranks, or groups of host names");
}

static void grid__the_innermost_axis_tells_ranks_apart(void)
{
    check_error(
        "node=2,core=2", "[{\"axis\": \"node\"" AT "]", 4,
        "axis 'node' is the innermost of the grid, but several ranks share its groups; add an axis such as 'core' "
        "inside it");
}

static void grid__has_one_to_eight_axes(void)
{
    check_error("core=2", "[]", 0, "a grid has 1 to 8 axes");
    check_error("core=2", "{}", 0, "a grid has 1 to 8 axes");
}

static bool uniform(const char *machine, const char *axis)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    bool answer;
    int index;

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, machine, NULL, &error), 0);
    index = axis != NULL ? wm_grid_axis_find(&grid, axis) : -1;
    answer = axis != NULL ? wm_grid_uniform_along(&grid, &index, 1) : wm_grid_uniform(&grid);
    wm_grid_release(&grid);
    return answer;
}

static void grid__uniform_asks_the_required_axes_alone(void)
{
    CU_ASSERT(uniform("node=3,core=4", NULL));
    CU_ASSERT(uniform("node=3,core=4,order=cyclic", NULL));
    CU_ASSERT_FALSE(uniform("node=2,core=4+2", NULL));
    CU_ASSERT(uniform("node=2,core=5,socket=2", NULL));
    CU_ASSERT_FALSE(uniform("node=2,core=5,socket=2", "socket"));
    CU_ASSERT(uniform("node=2,core=4,socket=2", "socket"));
    CU_ASSERT(uniform("node=2,core=4+2", "all"));
    CU_ASSERT(uniform("node=2,core=4+2", "core"));
}

static void check_machine(const char *text, int ranks, const char *nodes)
{
    struct wm_error error = {0};
    struct wm_place *places;
    char got[256] = "";
    int count = 0;

    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine(text, &places, &count, &error), 0);
    CU_ASSERT_EQUAL(count, ranks);
    for (int r = 0; r < count; r++) {
        char host[WM_HOST_CHARS];

        snprintf(host, sizeof host, "node%d", places[r].node);
        CU_ASSERT_STRING_EQUAL(places[r].host, host);
        CU_ASSERT_EQUAL(places[r].world_rank, r);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d", places[r].node);
    }
    CU_ASSERT_STRING_EQUAL(got, nodes);
    free(places);
}

static void machine__is_dealt_in_blocks_or_in_turn(void)
{
    check_machine("node=2,core=3", 6, "000111");
    check_machine("node=2,core=3,order=cyclic", 6, "010101");
    check_machine("node=3,core=2+1", 5, "00122");
    check_machine("node=3,core=1+3,order=cyclic", 5, "01211");
    check_machine("core=3", 3, "000");
    check_machine("core=4+2", 6, "000011");
    check_machine("node=3", 3, "012");
    check_machine("", 1, "0");
}

/* Numbers of nodes and clusters become others of the same order. */
static void check_written(const char *text, const char *expected)
{
    struct wm_error error = {0};
    struct wm_place *places;
    char got[64];
    int count;

    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine(text, &places, &count, &error), 0);
    for (int r = 0; r < count; r++) {
        places[r].node = 7 * places[r].node + 3;
        places[r].cluster += 5;
    }
    CU_ASSERT(wm_grid_write_machine(places, count, got, sizeof got));
    CU_ASSERT_STRING_EQUAL(got, expected);
    free(places);
}

static void machine__is_written_as_it_is_read(void)
{
    const struct wm_place apart[] = {{.node = 0}, {.node = 1}, {.node = 1}, {.node = 0}},
                          mixed[] = {{.node = 0, .cluster = 0}, {.node = 1, .cluster = 1}, {.node = 2, .cluster = 0}};
    char got[64];

    check_written("", "node=1,core=1");
    check_written("node=3,core=2+1", "node=3,core=2+1");
    check_written("node=200,core=2", "node=200,core=2");
    check_written("node=3,core=1+3,order=cyclic", "node=3,core=1+3,order=cyclic");
    check_written("cluster=2,node=4,core=2,order=cyclic", "cluster=2,node=4,core=2,order=cyclic");
    check_written("cluster=1+2,node=4,core=2", "cluster=1+2,node=4,core=2");
    check_written("cluster=1+1+1+2,core=2+1", "cluster=1+1+1+2,node=4,core=2+1");
    check_written("cluster=1+2+1,core=2+1+1+2+2", "cluster=1+2+1,node=5,core=2+1+1+2");
    check_written("cluster=2+2+7+7,order=cyclic", "cluster=2,node=4,core=1");
    CU_ASSERT_FALSE(wm_grid_write_machine(apart, 4, got, sizeof got));
    CU_ASSERT_STRING_EQUAL(got, "");
    CU_ASSERT_FALSE(wm_grid_write_machine(mixed, 3, got, 24));
    CU_ASSERT(wm_grid_write_machine(mixed, 3, got, sizeof got));
}

static void check_consecutive(const char *machine, const char *spec, bool expected)
{
    struct wm_error error = {0};
    struct wm_grid grid;

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, machine, spec, &error), 0);
    CU_ASSERT_EQUAL(wm_grid_consecutive(&grid), expected);
    wm_grid_release(&grid);
}

static uint64_t hash_of(const char *machine)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    uint64_t hash;

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, machine, NULL, &error), 0);
    hash = wm_grid_hash(&grid);
    wm_grid_release(&grid);
    return hash;
}

static void grid__hash_tells_other_groups_of_as_many_ranks(void)
{
    CU_ASSERT_EQUAL(hash_of("node=2,core=2"), hash_of("node=2,core=2"));
    CU_ASSERT_NOT_EQUAL(hash_of("node=2,core=2"), hash_of("node=2,core=2,order=cyclic"));
    CU_ASSERT_NOT_EQUAL(hash_of("node=2,core=1+3"), hash_of("node=2,core=3+1"));
    CU_ASSERT_NOT_EQUAL(hash_of("core=4"), hash_of("node=4"));
}

static void grid__is_consecutive_where_groups_are_neighbours(void)
{
    check_consecutive("core=1", NULL, true);
    check_consecutive("core=5", NULL, true);
    check_consecutive("node=3,core=2", NULL, true);
    check_consecutive("node=3,core=2+3+1", NULL, true);
    check_consecutive("node=2,socket=2,core=4", NULL, true);
    check_consecutive("node=2,core=2,order=cyclic", NULL, false);
    check_consecutive("node=3,core=1+2,order=cyclic", NULL, false);
}

/* One rank a node, or all on one, is the same however it is dealt. */
static void grid__dealt_out_in_turn_may_be_consecutive(void)
{
    check_consecutive("node=4,core=1,order=cyclic", NULL, true);
    check_consecutive("node=1,core=4,order=cyclic", NULL, true);
    check_consecutive("node=2,core=1+3,order=cyclic", NULL, true);
    check_consecutive("node=2,core=3+1,order=cyclic", NULL, false);
}

static void grid__declared_groups_may_part_neighbours(void)
{
    check_consecutive("core=4", "[{\"axis\": \"half\", \"ranks\": [[0,1],[2,3]]}, {\"axis\": \"core\"}]", true);
    check_consecutive("core=4", "[{\"axis\": \"half\", \"ranks\": [[0,3],[1,2]]}, {\"axis\": \"core\"}]", false);
    check_consecutive("core=4", "[{\"axis\": \"half\", \"ranks\": [[2,3],[0,1]]}, {\"axis\": \"core\"}]", true);
}

static void check_node_count(const char *machine, int expected)
{
    struct wm_place *places = NULL;
    int ranks;

    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine(machine, &places, &ranks, NULL), 0);
    CU_ASSERT_EQUAL(wm_grid_count_nodes(places, ranks), expected);
    free(places);
}

static void machine__nodes_are_counted(void)
{
    check_node_count("core=1", 1);
    check_node_count("core=7", 1);
    check_node_count("node=5,core=1", 5);
    check_node_count("node=3,core=2+4+1", 3);
    check_node_count("node=3,core=2,order=cyclic", 3);
    check_node_count("node=2,socket=2,core=4", 2);
}

/* Whatever a map declares: here a "node" is half of one. */
static void grid__knows_which_ranks_share_a_node(void)
{
    static const char declared[] = "[{\"axis\":\"node\",\"count\":4},{\"axis\":\"core\",\"count\":2}]";
    const int blocks[] = {0, 0, 0, 0, 1, 1, 1, 1}, cyclic[] = {0, 1, 0, 1, 0, 1, 0, 1}, one[8] = {0};
    struct wm_grid grid;

    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "node=2,core=4", NULL, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(grid.node, blocks, sizeof blocks), 0);
    wm_grid_release(&grid);
    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "node=2,core=4", declared, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(grid.node, blocks, sizeof blocks), 0);
    wm_grid_release(&grid);
    CU_ASSERT_PTR_NULL(grid.node);
    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "node=2,core=4,order=cyclic", NULL, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(grid.node, cyclic, sizeof cyclic), 0);
    wm_grid_release(&grid);
    CU_ASSERT_EQUAL_FATAL(open_grid(&grid, "core=8", declared, NULL), 0);
    CU_ASSERT_EQUAL(memcmp(grid.node, one, sizeof one), 0);
    wm_grid_release(&grid);
}

/* A communicator may touch any nodes, in any order; the places stay as they were. */
static void machine__nodes_may_have_any_numbers(void)
{
    struct wm_place places[] = {{.node = 70}, {.node = -3}, {.node = 70}, {.node = 5}, {.node = -3}};
    struct wm_place before[sizeof places / sizeof *places];

    memcpy(before, places, sizeof places);
    CU_ASSERT_EQUAL(wm_grid_count_nodes(places, 5), 3);
    CU_ASSERT_EQUAL(wm_grid_count_nodes(places, 3), 2);
    CU_ASSERT_EQUAL(wm_grid_count_nodes(&places[3], 1), 1);
    CU_ASSERT_EQUAL(memcmp(before, places, sizeof places), 0);
}

static void machine__malformed_text_is_refused(void)
{
    static const char *const wrong[] = {
        "node",       "node=",
        "node=0",     "node=x",
        "core=1+",    "core=+1",
        "core=-1",    "rack=2",
        "node=1+2",   "cluster=1+0",
        "order=wild", "node=999999999999999999999",
        "socket=0",   "host=",
        "host=a++b",  "host=h123456789h123456789h123456789h123456789h123456789h123456789h123"};
    struct wm_error error;
    struct wm_place *places;
    char expected[400];
    int ranks;

    CU_ASSERT_EQUAL(wm_grid_parse_machine("node=1,core=4+2", &places, &ranks, &error), -WM_EINVAL);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "'node=1,core=4+2' has cores for 2 nodes, but node=1; write node=2, or fewer cores");
    CU_ASSERT_EQUAL(wm_grid_parse_machine("node=2,cluster=1+2+2", &places, &ranks, &error), -WM_EINVAL);
    CU_ASSERT_STRING_EQUAL(
        error.text, "'node=2,cluster=1+2+2' has clusters for 3 nodes, but node=2; write node=3, or fewer clusters");
    CU_ASSERT_EQUAL(wm_grid_parse_machine("node=3,host=a+b", &places, &ranks, &error), -WM_EINVAL);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "'node=3,host=a+b' names 2 hosts, but node=3; leave out node, or name each host");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CU_ASSERT_EQUAL(wm_grid_parse_machine(wrong[i], &places, &ranks, &error), -WM_EINVAL);
        CU_ASSERT_PTR_NULL(places);
        snprintf(expected, sizeof expected,
                 "'%s' is no machine; write node=NODES,core=CORES, for example node=4,core=8, "
                 "cluster=2,node=4, cluster=1+2,node=4, node=2,core=4+2, core=4,sibling=2, host=n1+n2,core=4 or "
                 "node=2,core=4,order=cyclic",
                 wrong[i]);
        CU_ASSERT_STRING_EQUAL(error.text, expected);
    }
    CU_ASSERT_EQUAL(wm_grid_parse_machine("node=131072,core=4194304", &places, &ranks, &error), -WM_EINVAL);
    CU_ASSERT_STRING_EQUAL(error.text,
                           "'node=131072,core=4194304' has 549755813888 ranks; at most 4194304 are possible");
}

static const struct check_case cases[] = {
    CASE(grid__default_has_seven_axes),
    CASE(grid__a_core_without_sockets_named_spans_the_node),
    CASE(grid__a_core_within_named_sockets_counts_from_each),
    CASE(grid__all_spans_every_rank),
    CASE(grid__round_robin_ranks_have_their_coordinates),
    CASE(grid__ragged_nodes_have_their_coordinates),
    CASE(grid__siblings_are_of_one_process),
    CASE(grid__counts_take_ranks_in_order),
    CASE(grid__counts_need_not_be_filled),
    CASE(grid__groups_of_ranks_are_numbered_by_their_first_rank),
    CASE(grid__groups_of_hosts_match_globs_in_order),
    CASE(grid__groups_of_hosts_are_of_a_machine_with_names),
    CASE(grid__inner_groups_lie_within_the_outer),
    CASE(grid__a_rank_or_host_in_no_group_is_named),
    CASE(grid__an_axis_stands_once),
    CASE(grid__a_name_that_cannot_be),
    CASE(grid__counts_that_cannot_be),
    CASE(grid__counts_may_multiply_to_any_number),
    CASE(grid__has_at_most_eight_axes),
    CASE(grid__optional_axes_stand_before_core),
    CASE(grid__an_axis_that_the_machine_does_not_know),
    CASE(grid__the_innermost_axis_tells_ranks_apart),
    CASE(grid__has_one_to_eight_axes),
    CASE(grid__uniform_asks_the_required_axes_alone),
    CASE(machine__is_dealt_in_blocks_or_in_turn),
    CASE(machine__is_written_as_it_is_read),
    CASE(grid__hash_tells_other_groups_of_as_many_ranks),
    CASE(grid__is_consecutive_where_groups_are_neighbours),
    CASE(grid__dealt_out_in_turn_may_be_consecutive),
    CASE(grid__declared_groups_may_part_neighbours),
    CASE(machine__nodes_are_counted),
    CASE(grid__knows_which_ranks_share_a_node),
    CASE(machine__nodes_may_have_any_numbers),
    CASE(machine__malformed_text_is_refused),
};

CHECK_MAIN("grid", cases)
