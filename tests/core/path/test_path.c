/* Paths: what an answer may say, and the sentence for everything that it may not. */
#include <string.h>
#include "core/path/transport.h"
#include "tests/check.h"
#include "tests/fixture.h"
#include "wrappers/parameters.h"

static void check_refused(enum wm_operation operation, const char *wrappers, int line, const char *expected)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, "node=2,core=2"));
    path = fixture_path(wrappers, operation, &grid, &error);
    CU_ASSERT_PTR_NULL(path);
    CU_ASSERT_EQUAL(error.code, -WM_EMAP);
    CU_ASSERT_STRING_EQUAL(error.text, expected);
    CU_ASSERT_STRING_EQUAL(error.file, "map.scm");
    CU_ASSERT_EQUAL(error.line, line);
    CU_ASSERT_EQUAL(error.column, line == 9 ? 3 : line > 0 ? 5 : 0);
    wm_path_free(path);
    wm_grid_release(&grid);
}

#define STAGE(name, axis) "{'wrapper': '" name "', 'arguments': [{'axis': '" axis "'}]}"
#define STAGE_WITH(name, axis, keywords)                                                                               \
    "{'wrapper': '" name "', 'arguments': [{'axis': '" axis "'}], 'keywords': {" keywords "}}"

static struct wm_path *accept(struct wm_grid *grid, enum wm_operation operation, const char *wrappers)
{
    struct wm_error error = {0};
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(grid, "node=2,core=2"));
    path = fixture_path(wrappers, operation, grid, &error);
    CU_ASSERT_STRING_EQUAL(error.text, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    return path;
}

static void dismiss(struct wm_path *path, struct wm_grid *grid)
{
    wm_path_free(path);
    wm_grid_release(grid);
}

static void path__holds_wrappers_stages_and_defaults(void)
{
    struct wm_grid grid;
    struct wm_path *path = accept(&grid, WM_ALLREDUCE,
                                  "[{'wrapper': 'trace', 'arguments': [{'symbol': 'small'}]}, " STAGE(
                                      "reduce", "core") ", " STAGE_WITH("allreduce", "node",
                                                                        "'shape': [{'symbol': 'k-nomial'}, 4], "
                                                                        "'order': {'symbol': 'arrival'}") "]");
    const struct wm_wrapper *trace = &path->wrappers[0], *reduce = &path->wrappers[1], *allreduce = &path->wrappers[2];

    CU_ASSERT_EQUAL(path->wrapper_count, 3);
    CU_ASSERT_EQUAL(path->stage_count, 2);
    CU_ASSERT_EQUAL(path->stages[0], 1);
    CU_ASSERT_EQUAL(path->stages[1], 2);
    CU_ASSERT_FALSE(path->native);
    CU_ASSERT_EQUAL(path->rule_line, 9);
    CU_ASSERT_STRING_EQUAL(trace->values[0].label, "small");
    CU_ASSERT_EQUAL(trace->stage, -1);
    CU_ASSERT_EQUAL(reduce->stage, 0);
    CU_ASSERT_EQUAL(reduce->node, 2);
    CU_ASSERT_EQUAL(reduce->line, 2);
    CU_ASSERT(reduce->values[0].given);
    CU_ASSERT_EQUAL(reduce->axis, wm_grid_axis_find(&grid, "core"));
    CU_ASSERT_FALSE(reduce->values[1].given);
    CU_ASSERT_EQUAL(reduce->shape->kind, WM_SHAPE_KNOMIAL);
    CU_ASSERT_EQUAL(reduce->shape->radix, 2);
    CU_ASSERT_EQUAL(reduce->values[2].choice, WM_ORDER_RANK);
    CU_ASSERT(allreduce->values[1].given);
    CU_ASSERT_EQUAL(allreduce->shape->radix, 4);
    CU_ASSERT_EQUAL(allreduce->values[2].choice, WM_ORDER_ARRIVAL);
    dismiss(path, &grid);
}

static void path__optional_axes_may_be_named_or_not(void)
{
    struct wm_grid grid;
    struct wm_path *path = accept(&grid, WM_BCAST, "[" STAGE("bcast", "node") ", " STAGE("bcast", "core") "]");

    dismiss(path, &grid);
    path = accept(&grid, WM_BCAST,
                  "[" STAGE("bcast", "numa") ", " STAGE("bcast", "core") ", " STAGE("bcast", "node") ", " STAGE(
                      "bcast", "socket") "]");
    CU_ASSERT_EQUAL(path->stage_count, 4);
    dismiss(path, &grid);
}

static void path__axes_may_come_as_words(void)
{
    struct wm_grid grid;
    struct wm_path *path = accept(&grid, WM_BCAST, "[{'wrapper': 'bcast', 'arguments': ['all']}]");

    CU_ASSERT_EQUAL(path->wrappers[0].axis, WM_AXIS_ALL);
    dismiss(path, &grid);
}

static void path__of_a_conveyor_needs_no_stage(void)
{
    struct wm_grid grid;
    struct wm_path *path = accept(&grid, WM_CONVEYOR,
                                  "[{'wrapper': 'trace'}, {'wrapper': 'aggregate', 'arguments': [1024]}, "
                                  "{'wrapper': 'remote', 'arguments': [{'symbol': 'shm'}, {'symbol': 'mpi'}]}]");

    CU_ASSERT_EQUAL(path->stage_count, 0);
    CU_ASSERT_EQUAL(path->wrappers[1].values[0].bytes, 1024);
    CU_ASSERT_EQUAL(path->wrappers[1].values[1].count, 4);
    CU_ASSERT(path->wrappers[2].values[1].given);
    CU_ASSERT_EQUAL(path->wrappers[2].values[1].choice, WM_CHOOSE_MPI);
    dismiss(path, &grid);
}

static void path__of_a_conveyor_holds_no_wrapper_twice(void)
{
    check_refused(WM_CONVEYOR, "[{'wrapper': 'remote'}, {'wrapper': 'aggregate'}, {'wrapper': 'remote'}]", 3,
                  "'remote' stands twice in the path; take one out");
}

static void path__serves_the_loads_that_it_holds_for(void)
{
    json_t *answer = json_pack("{s[in], s[ii], sn}", "bytes", 0, "load", 10, 20, "path");
    struct wm_facts facts = {.operation = WM_CONVEYOR, .bytes = 8, .root = -1};
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, "core=2"));
    CU_ASSERT_EQUAL_FATAL(wm_path_parse(&path, answer, WM_CONVEYOR, &grid, "map.scm", &error), 0);
    for (facts.load = 8; facts.load < 23; facts.load++)
        CU_ASSERT_EQUAL(wm_path_serves(path, &facts), facts.load >= 10 && facts.load <= 20);
    json_decref(answer);
    dismiss(path, &grid);
}

static void path__an_answer_without_a_rule_is_native(void)
{
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_path *path;
    json_t *answer = json_pack("{s[ii], sn}", "bytes", 4, 8, "path");

    CU_ASSERT_FATAL(fixture_grid(&grid, "core=2"));
    CU_ASSERT_EQUAL(wm_path_parse(&path, answer, WM_SCAN, &grid, "map.scm", &error), 0);
    CU_ASSERT(path->native);
    CU_ASSERT_EQUAL(path->wrapper_count, 0);
    CU_ASSERT_EQUAL(path->validity.bytes.low, 4);
    CU_ASSERT_EQUAL(path->validity.bytes.high, 8);
    json_decref(answer);
    dismiss(path, &grid);
}

static void path__native_serves_every_collective(void)
{
    for (int operation = 0; operation < WM_COLLECTIVE_COUNT; operation++) {
        struct wm_grid grid;
        struct wm_path *path =
            accept(&grid, (enum wm_operation)operation, "[{'wrapper': 'trace'}, {'wrapper': 'native'}]");

        CU_ASSERT(path->native);
        dismiss(path, &grid);
    }
}

static bool serves(const char *answer_text, uint64_t bytes, int root, bool commutative)
{
    struct wm_facts facts = {.operation = WM_REDUCE, .bytes = bytes, .root = root, .commutative = commutative};
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_path *path;
    json_t *answer = json_loads(answer_text, 0, NULL);
    bool answer_serves;

    CU_ASSERT_FATAL(fixture_grid(&grid, "core=2"));
    CU_ASSERT_EQUAL_FATAL(wm_path_parse(&path, answer, WM_REDUCE, &grid, "map.scm", &error), 0);
    answer_serves = wm_path_serves(path, &facts);
    json_decref(answer);
    dismiss(path, &grid);
    return answer_serves;
}

static void path__serves_the_facts_it_was_given_for(void)
{
    static const char range[] = "{\"bytes\": [8, 2048], \"path\": null}";
    static const char open[] = "{\"bytes\": [2049, null], \"path\": null}";
    static const char root[] = "{\"bytes\": [0, null], \"root\": [3, 3], \"commutative?\": [1, 1], \"path\": null}";
    static const char ordered[] = "{\"bytes\": [0, null], \"commutative?\": [0, 0], \"path\": null}";

    CU_ASSERT(serves(range, 8, 5, false));
    CU_ASSERT(serves(range, 2048, 5, true));
    CU_ASSERT_FALSE(serves(range, 7, 5, true));
    CU_ASSERT_FALSE(serves(range, 2049, 5, true));
    CU_ASSERT(serves(open, UINT64_MAX, 0, true));
    CU_ASSERT_FALSE(serves(open, 2048, 0, true));
    CU_ASSERT(serves(root, 1, 3, true));
    CU_ASSERT_FALSE(serves(root, 1, 2, true));
    CU_ASSERT_FALSE(serves(root, 1, 3, false));
    CU_ASSERT(serves(ordered, 1, 3, false));
    CU_ASSERT_FALSE(serves(ordered, 1, 3, true));
}

/* Each fact that varies is its own: none holds for another's range, and all for an answer that names none. */
static void validity__is_of_each_fact_that_varies(void)
{
    struct wm_facts facts = {.operation = WM_REDUCE};
    struct wm_validity validity;
    char text[256];

    for (int i = 0; i < WM_VARYING_FACT_ROWS; i++) {
        json_t *answer = json_pack("{s[ii]}", wm_varying_fact_rows[i].fact->word, 1, 1);

        CU_ASSERT_TRUE(wm_validity_read(&validity, answer));
        CU_ASSERT_FALSE(wm_validity_is_any(&validity));
        CU_ASSERT_FALSE(wm_validity_holds(&validity, &facts));
        wm_validity_describe(&validity, text, sizeof text);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, wm_varying_fact_rows[i].one));
        json_object_clear(answer);
        CU_ASSERT_TRUE(wm_validity_read(&validity, answer));
        CU_ASSERT_TRUE(wm_validity_is_any(&validity));
        CU_ASSERT_TRUE(wm_validity_holds(&validity, &facts));
        json_decref(answer);
    }
}

static void path__axes_are_covered_once(void)
{
    check_refused(WM_BCAST, "[" STAGE("bcast", "core") ", " STAGE("bcast", "node") ", " STAGE("bcast", "core") "]", 3,
                  "axis 'core' is covered twice; take one of the stages over it out");
    check_refused(WM_BCAST, "[" STAGE("bcast", "core") "]", 9,
                  "axis 'node' is not covered; add a stage over it, or use the axis 'all' alone");
    check_refused(WM_BCAST, "[" STAGE("bcast", "node") ", " STAGE("bcast", "socket") "]", 9,
                  "axis 'core' is not covered; add a stage over it, or use the axis 'all' alone");
}

static void path__all_stands_alone(void)
{
    static const char sentence[] = "the axis 'all' covers every rank, so no other stage may stand beside it";

    check_refused(WM_BCAST, "[" STAGE("bcast", "all") ", " STAGE("bcast", "node") "]", 2, sentence);
    check_refused(WM_BCAST, "[" STAGE("bcast", "node") ", " STAGE("bcast", "all") "]", 2, sentence);
    check_refused(WM_BCAST, "[" STAGE("bcast", "all") ", " STAGE("bcast", "all") "]", 2, sentence);
}

static void path__has_a_stage_or_native(void)
{
    check_refused(WM_ALLREDUCE, "[{'wrapper': 'trace'}]", 9,
                  "the path has no stage; add one that serves allreduce, or (native)");
    check_refused(WM_ALLREDUCE, "[]", 9, "the path has no stage; add one that serves allreduce, or (native)");
}

static void path__native_stands_alone_and_last(void)
{
    check_refused(WM_BCAST, "[{'wrapper': 'native'}, " STAGE("bcast", "all") "]", 2,
                  "'bcast' stands behind 'native', which ends a path; take one of them out");
    check_refused(WM_BCAST, "[{'wrapper': 'native'}, {'wrapper': 'trace'}]", 2,
                  "'trace' stands behind 'native', which ends a path; take one of them out");
    check_refused(WM_BCAST, "[" STAGE("bcast", "core") ", {'wrapper': 'native'}]", 2,
                  "'native' carries out the whole call, so no stage may stand before it");
    check_refused(WM_BCAST, "[{'wrapper': 'segment', 'arguments': [8]}, {'wrapper': 'native'}]", 1,
                  "'segment' cannot cut a call that 'native' carries out; take it out");
}

static void path__wrappers_serve_the_operation(void)
{
    check_refused(WM_BCAST, "[" STAGE("reduce", "all") "]", 1,
                  "'reduce' cannot stand in a path of bcast; see waymark wrappers reduce");
    check_refused(WM_BARRIER, "[{'wrapper': 'segment', 'arguments': [8]}, " STAGE("barrier", "all") "]", 1,
                  "'segment' cannot stand in a path of barrier; see waymark wrappers segment");
}

static void path__an_unknown_wrapper_is_named(void)
{
    check_refused(WM_BCAST, "[" STAGE("bcats", "all") "]", 1, "unknown wrapper 'bcats'; did you mean 'bcast'?");
    check_refused(WM_BCAST, "[" STAGE("whirl", "all") "]", 1, "unknown wrapper 'whirl'; see waymark wrappers");
    check_refused(WM_BCAST, "[{'wrapper': 'trace'}, " STAGE("bcas", "all") "]", 2,
                  "unknown wrapper 'bcas'; did you mean 'bcast'?");
    check_refused(WM_BCAST, "[{'node': 1}]", 1, "unknown wrapper '?'; see waymark wrappers");
}

static void path__unknown_keywords_get_the_nearest(void)
{
    check_refused(WM_ALLREDUCE, "[" STAGE_WITH("reduce", "all", "'shap': {'symbol': 'flat'}") "]", 1,
                  "'reduce' has no keyword '#:shap'; did you mean '#:shape'?");
    check_refused(WM_ALLREDUCE, "[" STAGE_WITH("reduce", "all", "'colour': 1") "]", 1,
                  "'reduce' has no keyword '#:colour'; see waymark wrappers reduce");
    check_refused(WM_ALLREDUCE, "[" STAGE_WITH("reduce", "all", "'axis': {'axis': 'all'}") "]", 1,
                  "'reduce' has no keyword '#:axis'; see waymark wrappers reduce");
}

static void path__arguments_are_counted(void)
{
    check_refused(WM_BCAST, "[{'wrapper': 'bcast', 'arguments': [{'axis': 'all'}, 3]}]", 1,
                  "'bcast' takes 1 argument beside its keywords, but has 2 here");
    check_refused(WM_BCAST, "[{'wrapper': 'native', 'arguments': [3]}]", 1,
                  "'native' takes 0 arguments beside its keywords, but has 1 here");
    check_refused(WM_BCAST, "[{'wrapper': 'bcast'}]", 1,
                  "'bcast' needs its argument 'axis': the axis of the grid over which the stage works");
    check_refused(WM_BCAST, "[{'wrapper': 'segment'}, " STAGE("bcast", "all") "]", 1,
                  "'segment' needs its argument 'bytes': size of a piece");
}

static void path__unknown_axes_get_the_nearest(void)
{
    check_refused(WM_BCAST, "[" STAGE("bcast", "nod") "]", 1, "the grid has no axis 'nod'; did you mean 'node'?");
    check_refused(WM_BCAST, "[" STAGE("bcast", "rack") "]", 1, "the grid has no axis 'rack'; name it in #:grid");
    check_refused(WM_BCAST, "[{'wrapper': 'bcast', 'arguments': [7]}]", 1,
                  "'axis' of 'bcast' must be an axis of the grid, such as node, core or all");
}

/* The sentence is `format` with the shapes that can do one of `abilities`, in the order of their table. */
static void shape_refused(enum wm_operation operation, const char *wrappers, uint32_t abilities, const char *format)
{
    char shapes[1024] = "", expected[1280];

    for (int kind = 0; kind < WM_SHAPE_COUNT; kind++)
        if (wm_shape_can((enum wm_shape_kind)kind, abilities)) {
            strcat(shapes, shapes[0] != '\0' ? ", " : "");
            strcat(shapes, wm_shape_name((enum wm_shape_kind)kind));
        }
    snprintf(expected, sizeof expected, format, shapes);
    check_refused(operation, wrappers, 1, expected);
}

static void path__unknown_shapes_get_the_nearest(void)
{
    shape_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'symbol': 'chian'}") "]", WM_SHAPE_SPREADS,
                  "'#:shape' of 'bcast' cannot be 'chian'; did you mean 'chain'? (%s, binomial)");
    shape_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'symbol': 'chan'}") "]", WM_SHAPE_SPREADS,
                  "'#:shape' of 'bcast' cannot be 'chan'; did you mean 'chain'? (%s, binomial)");
    shape_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'symbol': 'ring'}") "]", WM_SHAPE_SPREADS,
                  "'#:shape' of 'bcast' cannot be 'ring'; choose one of %s, binomial");
    shape_refused(WM_ALLREDUCE, "[" STAGE_WITH("reduce-scatter", "all", "'shape': {'tree': [0, 1]}") "]",
                  WM_SHAPE_COMBINES_SHARES, "'#:shape' of 'reduce-scatter' cannot be 'tree'; choose one of %s");
    check_refused(
        WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': 7") "]", 1,
        "'#:shape' of 'bcast' must be a shape, such as 'binomial, (k-nomial 4), (tree 0 (1) (2)) or a procedure");
}

static void path__a_radix_belongs_to_knomial_and_has_a_range(void)
{
    static const char sentence[] = "'#:shape' of 'bcast' must be a shape; 'k-nomial' takes a number from 2 to 1024";

    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': [{'symbol': 'chain'}, 3]") "]", 1,
                  "'#:shape' of 'bcast' must be a shape; 'chain' takes no number");
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': [{'symbol': 'k-nomial'}, 1]") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': [{'symbol': 'k-nomial'}, 1025]") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': [{'symbol': 'k-nomial'}, 2.5]") "]", 1, sentence);
}

static void path__written_trees_name_each_member_once(void)
{
    static const char sentence[] = "a tree names each member from 0 up once, such as (tree 0 (1 (3)) (2))";

    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'tree': [0, 1, 1]}") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'tree': [0, 2]}") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'tree': [1, 2]}") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'tree': [0, -1]}") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'tree': []}") "]", 1, sentence);
    check_refused(WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'tree': ['a']}") "]", 1, sentence);
}

static void path__procedures_must_make_a_tree(void)
{
    check_refused(
        WM_BCAST, "[" STAGE_WITH("bcast", "all", "'shape': {'procedure': 1, 'parents': {'4': [-1, 2, 1, 0]}}") "]", 1,
        "the procedure given to 'bcast' makes no tree of 4 members: the parent of member 1 is wrong (2); one member "
        "must have no parent (#f), all others must lead to it");
}

static void path__numbers_have_a_range(void)
{
    check_refused(WM_BCAST, "[{'wrapper': 'segment', 'arguments': [0]}, " STAGE("bcast", "all") "]", 1,
                  "'bytes' of 'segment' must be a number of bytes from 1, such as 64KiB");
    check_refused(WM_BCAST, "[{'wrapper': 'segment', 'arguments': ['8k']}, " STAGE("bcast", "all") "]", 1,
                  "'bytes' of 'segment' must be a number of bytes from 1, such as 64KiB");
    check_refused(WM_BCAST,
                  "[{'wrapper': 'segment', 'arguments': [8], 'keywords': {'window': -2}}, " STAGE("bcast", "all") "]",
                  1, "'#:window' of 'segment' must be a whole number from 1");
}

static void path__words_are_checked(void)
{
    check_refused(WM_ALLREDUCE, "[" STAGE_WITH("reduce", "all", "'order': {'symbol': 'rang'}") "]", 1,
                  "'#:order' of 'reduce' cannot be 'rang'; did you mean 'rank'? (arrival, rank)");
    check_refused(WM_ALLREDUCE, "[" STAGE_WITH("reduce", "all", "'order': 3") "]", 1,
                  "'#:order' of 'reduce' must be a quoted word");
    check_refused(
        WM_ALLREDUCE,
        "[{'wrapper': 'trace', 'arguments': ['a-label-of-more-than-31-characters']}, " STAGE("reduce", "all") "]", 1,
        "'label' of 'trace' must be a word of at most 31 characters");
}

static void path__some_wrappers_stand_once(void)
{
    check_refused(WM_BCAST,
                  "[{'wrapper': 'segment', 'arguments': [16]}, {'wrapper': 'trace'}, {'wrapper': 'segment', "
                  "'arguments': [8]}, " STAGE("bcast", "all") "]",
                  3, "'segment' stands twice in the path; take one out");
}

static void path__holds_at_most_32_wrappers(void)
{
    char text[33 * 24] = "[";

    for (int i = 0; i < 33; i++)
        strcat(text, i > 0 ? ", {'wrapper':'trace'}" : "{'wrapper':'trace'}");
    strcat(text, "]");
    check_refused(WM_BCAST, text, 33, "a path has at most 32 wrappers");
}

#define REMOTE(net, keywords) "{'wrapper': 'remote', 'arguments': [{'symbol': '" net "'}], 'keywords': {" keywords "}}"

static void path__remote_takes_a_net_and_the_parameters_of_shared_memory(void)
{
    struct wm_grid grid;
    struct wm_path *path =
        accept(&grid, WM_BCAST,
               "[" REMOTE("shm", "'eager': 1048576, 'chunk': 64, 'copy': {'symbol': 'double'}") ", " REMOTE(
                   "auto", "") ", " STAGE("bcast", "all") "]");
    const struct wm_param_value *given = path->wrappers[0].values, *usual = path->wrappers[1].values;

    CU_ASSERT_EQUAL(path->wrappers[0].class->role, WM_ROLE_NET);
    CU_ASSERT_EQUAL(path->wrappers[2].class->role, WM_ROLE_NONE);
    CU_ASSERT_EQUAL(given[0].choice, WM_CHOOSE_SHM);
    CU_ASSERT_EQUAL(given[2].bytes, 1048576);
    CU_ASSERT_EQUAL(given[3].bytes, 64);
    CU_ASSERT_EQUAL(given[4].choice, WM_COPY_DOUBLE);
    CU_ASSERT_EQUAL(usual[0].choice, WM_CHOOSE_AUTO);
    CU_ASSERT(usual[2].bytes == 0 && usual[3].bytes == 0 && usual[4].choice == WM_COPY_AUTO);
    dismiss(path, &grid);
}

static void path__bytes_of_a_net_have_a_range(void)
{
    static const char eager[] = "'#:eager' of 'remote' must be a number of bytes from 1 to 1MiB, such as 64KiB";
    static const char chunk[] = "'#:chunk' of 'remote' must be a number of bytes from 64 to 16MiB, such as 64KiB";

    check_refused(WM_BCAST, "[" REMOTE("shm", "'eager': 0") ", " STAGE("bcast", "all") "]", 1, eager);
    check_refused(WM_BCAST, "[" REMOTE("shm", "'eager': 1048577") ", " STAGE("bcast", "all") "]", 1, eager);
    check_refused(WM_BCAST, "[" REMOTE("shm", "'chunk': 63") ", " STAGE("bcast", "all") "]", 1, chunk);
    check_refused(WM_BCAST, "[" REMOTE("shm", "'chunk': 16777217") ", " STAGE("bcast", "all") "]", 1, chunk);
}

/* The answer says where each argument stands; whoever finds a fault later points there. */
static void path__values_keep_their_places(void)
{
    struct wm_grid grid;
    struct wm_path *path = accept(&grid, WM_BCAST,
                                  "[{'wrapper': 'bcast', 'arguments': [{'axis': 'all'}], 'keywords': {'shape': "
                                  "{'symbol': 'chain'}}, 'places': {'0': [6, 19], 'shape': [7, 24, 8, 32]}}]");
    const struct wm_param_value *values = path->wrappers[0].values;

    CU_ASSERT(values[0].line == 6 && values[0].column == 19);
    CU_ASSERT(values[1].line == 8 && values[1].column == 32);
    dismiss(path, &grid);
    path = accept(&grid, WM_BCAST, "[" STAGE("bcast", "all") "]");
    CU_ASSERT(path->wrappers[0].values[0].line == 0 && path->wrappers[0].values[1].line == 0);
    dismiss(path, &grid);
}

static void path__of_hundreds_of_small_pieces_is_doubted(void)
{
    static const struct {
        int piece;
        uint64_t bytes_high;
        bool doubted;
    } pieces[] = {{64, UINT64_MAX, true}, {64, 64 * 256 + 63, false}, {64, 64 * 257, true}, {512, UINT64_MAX, false}};
    struct wm_grid grid;
    struct wm_error doubt;

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char wrappers[256];
        struct wm_path *path;

        snprintf(wrappers, sizeof wrappers, "[{'wrapper': 'segment', 'arguments': [%d]}, " STAGE("bcast", "all") "]",
                 pieces[i].piece);
        path = accept(&grid, WM_BCAST, wrappers);
        path->validity.bytes.high = pieces[i].bytes_high;
        CU_ASSERT_EQUAL(wm_path_doubt(path, &doubt), pieces[i].doubted);
        if (pieces[i].doubted) {
            CU_ASSERT_STRING_EQUAL(doubt.text, "calls of more than 16KiB go in more than 256 pieces of 64 bytes here; "
                                               "use larger segments, such as 64KiB");
            CU_ASSERT_EQUAL(doubt.line, 1);
        }
        dismiss(path, &grid);
    }
}

static const struct check_case cases[] = {
    CASE(path__of_hundreds_of_small_pieces_is_doubted),
    CASE(path__holds_wrappers_stages_and_defaults),
    CASE(path__optional_axes_may_be_named_or_not),
    CASE(path__axes_may_come_as_words),
    CASE(path__of_a_conveyor_needs_no_stage),
    CASE(path__of_a_conveyor_holds_no_wrapper_twice),
    CASE(path__serves_the_loads_that_it_holds_for),
    CASE(path__an_answer_without_a_rule_is_native),
    CASE(path__native_serves_every_collective),
    CASE(path__serves_the_facts_it_was_given_for),
    CASE(validity__is_of_each_fact_that_varies),
    CASE(path__axes_are_covered_once),
    CASE(path__all_stands_alone),
    CASE(path__has_a_stage_or_native),
    CASE(path__native_stands_alone_and_last),
    CASE(path__wrappers_serve_the_operation),
    CASE(path__an_unknown_wrapper_is_named),
    CASE(path__unknown_keywords_get_the_nearest),
    CASE(path__arguments_are_counted),
    CASE(path__unknown_axes_get_the_nearest),
    CASE(path__unknown_shapes_get_the_nearest),
    CASE(path__a_radix_belongs_to_knomial_and_has_a_range),
    CASE(path__written_trees_name_each_member_once),
    CASE(path__procedures_must_make_a_tree),
    CASE(path__numbers_have_a_range),
    CASE(path__words_are_checked),
    CASE(path__some_wrappers_stand_once),
    CASE(path__holds_at_most_32_wrappers),
    CASE(path__remote_takes_a_net_and_the_parameters_of_shared_memory),
    CASE(path__bytes_of_a_net_have_a_range),
    CASE(path__values_keep_their_places),
};

CHECK_MAIN("path", cases)
