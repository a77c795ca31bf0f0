/* The built-in paths of subranks are those of specs/subranks.scm, on the same grid. */
#include "core/map/complete.h"
#include "core/subrank/built_in.h"
#include "tests/core/map/maps.h"

static struct wm_place *places;
static int ranks;
static struct wm_map *map; /* opened by the first case */

static void make_grid(struct wm_grid *grid, const json_t *spec)
{
    struct wm_error error = {0};

    CU_ASSERT_EQUAL_FATAL(wm_grid_init(grid, spec, ranks, places, &error), 0);
}

static void open_map(void)
{
    char *file = NULL, *text = NULL;
    struct wm_error error = {0};
    size_t bytes;

    maps_use_build_tree();
    CU_ASSERT_EQUAL_FATAL(wm_map_read("subranks", &file, &text, &bytes, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine("node=2,core=3,sibling=2", &places, &ranks, &error), 0);
    map = maps_open(text);
    free(file);
    free(text);
}

static void built_in__grid_is_the_maps(void)
{
    struct wm_grid own, maps;
    json_t *spec;

    open_map();
    spec = json_loads(wm_map_get_head(map)->grid_json, JSON_DECODE_ANY, NULL);
    make_grid(&own, wm_built_in_source()->grid_spec);
    make_grid(&maps, spec);
    CU_ASSERT_EQUAL(wm_grid_hash(&own), wm_grid_hash(&maps));
    json_decref(spec);
    wm_grid_release(&own);
    wm_grid_release(&maps);
}

static struct wm_path *maps_path(enum wm_operation operation, uint64_t bytes, int nodes, const struct wm_grid *grid)
{
    struct wm_facts facts = maps_facts(operation, bytes);
    struct wm_error error = {0};
    struct wm_path *path = NULL;
    json_t *answer = NULL;

    facts.nodes = nodes;
    CU_ASSERT_EQUAL_FATAL(wm_map_answer(map, &facts, false, grid, &answer, &error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_path_parse(&path, answer, operation, grid, "subranks.scm", &error), 0);
    json_decref(answer);
    return path;
}

/* The map's path is the built-in one, and holds for as many bytes. */
static void check_path(enum wm_operation operation, uint64_t bytes, int nodes, const struct wm_grid *grid)
{
    uint64_t limit = wm_built_in_shared_bytes(operation);
    bool shared = nodes == 1 && limit > 0 && bytes <= limit;
    struct wm_path *own = wm_built_in_path(operation, shared, grid);
    struct wm_path *maps = maps_path(operation, bytes, nodes, grid);

    CU_ASSERT_EQUAL_FATAL(own->wrapper_count, maps->wrapper_count);
    for (int i = 0; i < own->wrapper_count; i++) {
        char a[128], b[128];

        wm_wrapper_describe(&own->wrappers[i], grid, a, sizeof a);
        wm_wrapper_describe(&maps->wrappers[i], grid, b, sizeof b);
        CU_ASSERT_EQUAL(own->wrappers[i].class, maps->wrappers[i].class);
        CU_ASSERT_STRING_EQUAL(a, b);
    }
    CU_ASSERT_EQUAL(maps->validity.bytes.high, shared ? limit : UINT64_MAX);
    wm_path_free(own);
    wm_path_free(maps);
}

static void built_in__paths_are_the_maps(void)
{
    struct wm_grid grid;

    make_grid(&grid, wm_built_in_source()->grid_spec);
    for (int op = 0; op < WM_COLLECTIVE_COUNT; op++) {
        check_path((enum wm_operation)op, 0, 1, &grid);
        check_path((enum wm_operation)op, 1 << 20, 1, &grid);
        check_path((enum wm_operation)op, 0, 2, &grid);
    }
    wm_grid_release(&grid);
}

static const struct check_case cases[] = {
    CASE(built_in__grid_is_the_maps),
    CASE(built_in__paths_are_the_maps),
};

CHECK_MAIN("built-in paths of subranks", cases)
