/* Tests of completing an answer: which sizes a shape procedure is asked for. A counter stands in the map server's
 * place. */
#include <stdlib.h>
#include <string.h>
#include "core/map/complete.h"
#include "core/path/path.h"
#include "tests/check.h"

/* What wm_map_parents was asked, and what it is to answer. */
static int asked[16], asked_count, refuse;

int wm_map_parents(struct wm_map *map, int procedure, int size, int *parents, struct wm_error *error)
{
    (void)map;
    (void)procedure;
    if (refuse)
        return wm_error_set(error, -WM_ESERVER, "refused");
    asked[asked_count++] = size;
    for (int i = 0; i < size; i++)
        parents[i] = i - 1;
    return 0;
}

/* An allreduce: reduce over cores, allreduce over nodes, with these shapes. */
static json_t *answer_of(const char *core_shape, const char *node_shape)
{
    json_t *core = json_loads(core_shape, 0, NULL), *node = json_loads(node_shape, 0, NULL);

    return json_pack("{s:[i,n], s:[{s:s,s:[]}, {s:s,s:[{s:s}],s:{s:o}}, {s:s,s:[{s:s}],s:{s:o}}]}", "bytes", 0, "path",
                     "wrapper", "trace", "arguments", "wrapper", "reduce", "arguments", "axis", "core", "keywords",
                     "shape", core, "wrapper", "allreduce", "arguments", "axis", "node", "keywords", "shape", node);
}

/* Complete `answer` on `machine`, and read it. Returns the first code that is not 0. */
static int complete(json_t *answer, const char *machine, int root, struct wm_error *error)
{
    struct wm_place *places;
    struct wm_grid grid;
    struct wm_path *path = NULL;
    int ranks, rc;

    asked_count = 0;
    CU_ASSERT_EQUAL_FATAL(wm_grid_parse_machine(machine, &places, &ranks, error), 0);
    CU_ASSERT_EQUAL_FATAL(wm_grid_init(&grid, json_null(), ranks, places, error), 0);
    rc = wm_map_complete(NULL, answer, WM_ALLREDUCE, &grid, root, error);
    if (rc == 0)
        rc = wm_path_parse(&path, answer, WM_ALLREDUCE, &grid, "test", error);
    wm_path_free(path);
    wm_grid_release(&grid);
    free(places);
    return rc;
}

static void complete__asks_nothing_without_a_procedure(void)
{
    json_t *answer = answer_of("{\"symbol\":\"flat\"}", "{\"symbol\":\"ring\"}"), *before = json_deep_copy(answer);
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(complete(answer, "node=2,core=4", -1, &error), 0);
    CU_ASSERT_EQUAL(asked_count, 0);
    CU_ASSERT(json_equal(answer, before));
    json_decref(before);
    json_decref(answer);
}

static void complete__asks_each_size_of_group_once(void)
{
    json_t *answer = answer_of("{\"procedure\":7}", "{\"symbol\":\"ring\"}");
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(complete(answer, "node=5,core=4+2", -1, &error), 0);
    CU_ASSERT_EQUAL(asked_count, 2);
    CU_ASSERT_EQUAL(asked[0], 4);
    CU_ASSERT_EQUAL(asked[1], 2);
    json_decref(answer);
}

static void complete__asks_each_procedure_for_its_own_stage(void)
{
    json_t *answer = answer_of("{\"procedure\":7}", "{\"procedure\":8}");
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(complete(answer, "node=3,core=4", -1, &error), 0);
    CU_ASSERT_EQUAL(asked_count, 2);
    CU_ASSERT_EQUAL(asked[0], 4);
    CU_ASSERT_EQUAL(asked[1], 3);
    json_decref(answer);
}

static void complete__is_done_once(void)
{
    json_t *answer = answer_of("{\"procedure\":7}", "{\"symbol\":\"ring\"}");
    struct wm_error error = {0};

    CU_ASSERT_EQUAL(complete(answer, "node=2,core=4", -1, &error), 0);
    CU_ASSERT_EQUAL(complete(answer, "node=2,core=4", -1, &error), 0);
    CU_ASSERT_EQUAL(asked_count, 0);
    json_decref(answer);
}

static void complete__hands_on_what_the_server_says(void)
{
    json_t *answer = answer_of("{\"procedure\":7}", "{\"symbol\":\"ring\"}");
    struct wm_error error = {0};

    refuse = 1;
    CU_ASSERT_EQUAL(complete(answer, "node=2,core=4", -1, &error), -WM_ESERVER);
    CU_ASSERT_STRING_EQUAL(error.text, "refused");
    refuse = 0;
    json_decref(answer);
}

static void complete__leaves_a_procedure_that_is_no_shape_to_the_parser(void)
{
    json_t *answer = answer_of("{\"symbol\":\"flat\"}", "{\"symbol\":\"ring\"}");
    struct wm_error error = {0};

    json_array_append_new(json_object_get(json_array_get(json_object_get(answer, "path"), 0), "arguments"),
                          json_pack("{s:i}", "procedure", 3));
    CU_ASSERT_EQUAL(complete(answer, "node=2,core=4", -1, &error), -WM_EMAP);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "'label' of 'trace'"));
    CU_ASSERT_EQUAL(asked_count, 0);
    json_decref(answer);
}

static const struct check_case cases[] = {
    CASE(complete__asks_nothing_without_a_procedure),
    CASE(complete__asks_each_size_of_group_once),
    CASE(complete__asks_each_procedure_for_its_own_stage),
    CASE(complete__is_done_once),
    CASE(complete__hands_on_what_the_server_says),
    CASE(complete__leaves_a_procedure_that_is_no_shape_to_the_parser),
};

CHECK_MAIN("complete", cases)
