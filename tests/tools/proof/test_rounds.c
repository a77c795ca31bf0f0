/* Tests of rounds, arrows and steps: plans run on paper, their messages and shared steps written short. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "core/path/grid.h"
#include "core/path/layout.h"
#include "core/path/path.h"
#include "core/plan/planner.h"
#include "tests/check.h"
#include "tools/draw/arrows.h"
#include "tools/draw/shared_steps.h"
#include "tools/proof/rounds.h"

enum { RANKS_MAX = 16 };

/* Of plans whose lines do not matter. */
static const struct wm_path no_path;

/* The plans of an allreduce over the axis `all` of one node, by a shape. */
static int make_plans(struct wm_plan **plans, int ranks, const char *shape)
{
    const struct wm_plan_call call = {
        .operation = WM_ALLREDUCE, .count = 1, .unit_bytes = 8, .root = -1, .commutative = true, .shared = true};
    json_t *answer =
        json_pack("{s:[i,n], s:[{s:s, s:i, s:[{s:s}], s:{s:{s:s}}}]}", "bytes", 0, "path", "wrapper", "allreduce",
                  "node", 1, "arguments", "axis", "all", "keywords", "shape", "symbol", shape);
    json_t *none = json_null();
    struct wm_place places[RANKS_MAX] = {{0}};
    struct wm_grid grid;
    struct wm_path *path = NULL;
    struct wm_layout *layout = NULL;
    struct wm_error error = {0};
    int rc;

    for (int r = 0; r < ranks; r++)
        places[r].world_rank = r;
    rc = wm_grid_init(&grid, none, ranks, places, &error);
    if (rc == 0)
        rc = wm_path_parse(&path, answer, WM_ALLREDUCE, &grid, "test", &error);
    if (rc == 0)
        rc = wm_layout_new(&layout, path, &grid, -1, false, &error);
    for (int r = 0; rc == 0 && r < ranks; r++)
        rc = wm_plan_make(&plans[r], path, layout, &call, r, &error);
    wm_layout_free(layout);
    wm_path_free(path);
    wm_grid_release(&grid);
    json_decref(answer);
    return rc;
}

static void free_plans(struct wm_plan **plans, int ranks)
{
    for (int r = 0; r < ranks; r++)
        wm_plan_free(plans[r]);
}

/* Rounds and messages of an allreduce by this shape. */
static void expect_rounds(int ranks, const char *shape, int round_count, size_t message_count)
{
    struct wm_plan *plans[RANKS_MAX] = {NULL};
    struct wm_rounds rounds;
    struct wm_error error;

    CU_ASSERT_EQUAL_FATAL(make_plans(plans, ranks, shape), 0);
    CU_ASSERT_EQUAL_FATAL(wm_rounds_init(&rounds, plans, ranks, &no_path, &error), 0);
    CU_ASSERT_EQUAL(rounds.round_count, round_count);
    CU_ASSERT_EQUAL(rounds.message_count, message_count);
    wm_rounds_release(&rounds);
    free_plans(plans, ranks);
}

static void rounds__are_the_height_of_a_tree_up_and_down(void)
{
    expect_rounds(8, "flat", 2, 14);
    expect_rounds(8, "chain", 14, 14);
    expect_rounds(8, "binomial", 6, 14);
}

static void rounds__are_the_logarithm_in_a_butterfly(void)
{
    expect_rounds(8, "butterfly", 3, 24);
    expect_rounds(16, "butterfly", 4, 64);
}

static void rounds__are_none_for_one_rank(void)
{
    expect_rounds(1, "butterfly", 0, 0);
}

static void rounds__mark_what_is_combined(void)
{
    struct wm_plan *plans[4] = {NULL};
    struct wm_rounds rounds;
    struct wm_error error;

    CU_ASSERT_EQUAL_FATAL(make_plans(plans, 4, "flat"), 0);
    CU_ASSERT_EQUAL_FATAL(wm_rounds_init(&rounds, plans, 4, &no_path, &error), 0);
    for (size_t i = 0; i < rounds.message_count; i++) {
        CU_ASSERT_EQUAL(rounds.messages[i].combined, rounds.messages[i].target == 0);
        CU_ASSERT_EQUAL(rounds.messages[i].round, rounds.messages[i].target == 0 ? 1 : 2);
    }
    wm_rounds_release(&rounds);
    free_plans(plans, 4);
}

static void rounds__join_the_members_of_a_shared_step(void)
{
    struct wm_plan *plans[4] = {NULL};
    struct wm_rounds rounds;
    struct wm_error error;

    CU_ASSERT_EQUAL_FATAL(make_plans(plans, 4, "shared"), 0);
    CU_ASSERT_EQUAL_FATAL(wm_rounds_init(&rounds, plans, 4, &no_path, &error), 0);
    CU_ASSERT_EQUAL(rounds.round_count, 1);
    CU_ASSERT_EQUAL(rounds.message_count, 0);
    CU_ASSERT_EQUAL_FATAL(rounds.shared_count, 1);
    CU_ASSERT_EQUAL(rounds.shared[0].round, 1);
    CU_ASSERT_EQUAL(rounds.shared[0].node, 1);
    CU_ASSERT_EQUAL(rounds.shared[0].shared->kind, WM_SHARED_ALLREDUCE);
    wm_rounds_release(&rounds);
    free_plans(plans, 4);
}

static void rounds__find_a_shared_step_that_a_member_does_not_come_to(void)
{
    struct wm_plan *plans[4] = {NULL};
    struct wm_rounds rounds;
    struct wm_error error;

    CU_ASSERT_EQUAL_FATAL(make_plans(plans, 4, "shared"), 0);
    plans[2]->steps[0].kind = WM_STEP_JOIN;
    CU_ASSERT_EQUAL(wm_rounds_init(&rounds, plans, 4, &no_path, &error), -WM_EPATH);
    CU_ASSERT_STRING_EQUAL(error.text, "the plans do not fit together: shared step 0 of ranks 0-3 is listed by rank 0 "
                                       "(line 0, step 0), but not by rank 2; please report it");
    free_plans(plans, 4);
}

/* A plan of one message after another, by hand: only those of sends and receives are looked at. */
static struct wm_plan hand_plan(struct wm_step *steps, int count, int *successors, int *roots)
{
    for (int i = 0; i < count; i++) {
        steps[i].count = 1;
        steps[i].dependencies = i > 0;
        steps[i].successors = i + 1 < count;
        steps[i].first_successor = i;
        successors[i] = i + 1;
    }
    roots[0] = 0;
    return (struct wm_plan){.step_count = count,
                            .steps = steps,
                            .message_steps = count,
                            .successors = successors,
                            .root_count = 1,
                            .roots = roots};
}

static void rounds__find_plans_that_wait_for_each_other(void)
{
    struct wm_step first[] = {{.kind = WM_STEP_RECV, .peer = 1}, {.kind = WM_STEP_SEND, .peer = 1}};
    struct wm_step second[] = {{.kind = WM_STEP_RECV, .peer = 0}, {.kind = WM_STEP_SEND, .peer = 0}};
    int successors[2][2], roots[2];
    struct wm_plan a = hand_plan(first, 2, successors[0], &roots[0]),
                   b = hand_plan(second, 2, successors[1], &roots[1]);
    struct wm_plan *plans[] = {&a, &b};
    struct wm_rounds rounds;
    struct wm_error error;

    CU_ASSERT_EQUAL(wm_rounds_init(&rounds, plans, 2, &no_path, &error), -WM_EPATH);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "deadlock: rank 0 (line 0, step 0) receives from rank 1"));
}

static void rounds__find_a_message_that_nobody_receives(void)
{
    struct wm_step first[] = {{.kind = WM_STEP_SEND, .peer = 1}},
                   second[] = {{.kind = WM_STEP_RECV, .peer = 0, .message = 1}};
    int successors[2][1], roots[2];
    struct wm_plan a = hand_plan(first, 1, successors[0], &roots[0]),
                   b = hand_plan(second, 1, successors[1], &roots[1]);
    struct wm_plan *plans[] = {&a, &b};
    struct wm_rounds rounds;
    struct wm_error error;

    CU_ASSERT_EQUAL(wm_rounds_init(&rounds, plans, 2, &no_path, &error), -WM_EPATH);
    CU_ASSERT_STRING_EQUAL(
        error.text, "the plans do not fit together: message 0 from rank 0 to rank 1 is only sent; please report it");
}

static void expect_arrows(const char *expected, const int pairs[][2], size_t count, size_t max)
{
    struct wm_round_message messages[16] = {{0}};
    char *text;

    for (size_t i = 0; i < count; i++) {
        messages[i].source = pairs[i][0];
        messages[i].target = pairs[i][1];
    }
    text = wm_arrows_text(messages, count, max);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

static void arrows__join_those_that_share_an_end(void)
{
    expect_arrows("1-3,5→0", (const int[][2]){{1, 0}, {2, 0}, {3, 0}, {5, 0}}, 4, 0);
    expect_arrows("0→1-2 4→5-6", (const int[][2]){{0, 1}, {0, 2}, {4, 5}, {4, 6}}, 4, 0);
    expect_arrows("1→0 3→2", (const int[][2]){{1, 0}, {3, 2}}, 2, 0);
}

static void arrows__join_both_ways(void)
{
    expect_arrows("0↔1 2→3", (const int[][2]){{0, 1}, {1, 0}, {2, 3}}, 3, 0);
}

static void arrows__count_repeats(void)
{
    expect_arrows("0→1×3 0→2", (const int[][2]){{0, 1}, {0, 1}, {0, 1}, {0, 2}}, 4, 0);
}

static void arrows__say_what_they_leave_out(void)
{
    expect_arrows("0→1 2→3 … and 2 messages more", (const int[][2]){{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 4, 2);
}

static void expect_shared(const char *expected, enum wm_shared_kind kind, int root, size_t count, size_t max)
{
    static const int first[] = {0, 1, 2}, second[] = {3, 5};
    const struct wm_shared shared[] = {{.kind = kind, .size = 3, .root = root, .members = first},
                                       {.kind = kind, .size = 3, .root = root, .members = first},
                                       {.kind = kind, .size = 2, .root = root, .members = second}};
    const struct wm_round_shared steps[] = {{.shared = &shared[0]}, {.shared = &shared[1]}, {.shared = &shared[2]}};
    char *text = wm_shared_steps_text(&steps[3 - count], count, max);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

static void shared_steps__tell_members_and_root(void)
{
    expect_shared("allreduce {0-2} {3, 5}", WM_SHARED_ALLREDUCE, 0, 2, 0);
    expect_shared("reduce {0-2}→1 {3, 5}→5", WM_SHARED_REDUCE, 1, 2, 0);
    expect_shared("bcast 1→{0-2} 5→{3, 5}", WM_SHARED_BCAST, 1, 2, 0);
}

static void shared_steps__count_repeats_and_say_what_they_leave_out(void)
{
    expect_shared("scatter 0→{0-2}×2 3→{3, 5}", WM_SHARED_SCATTER, 0, 3, 0);
    expect_shared("gather {0-2}→0×2 … and 1 more", WM_SHARED_GATHER, 0, 3, 1);
}

static const struct check_case cases[] = {
    CASE(rounds__are_the_height_of_a_tree_up_and_down),
    CASE(rounds__are_the_logarithm_in_a_butterfly),
    CASE(rounds__are_none_for_one_rank),
    CASE(rounds__mark_what_is_combined),
    CASE(rounds__join_the_members_of_a_shared_step),
    CASE(rounds__find_a_shared_step_that_a_member_does_not_come_to),
    CASE(rounds__find_plans_that_wait_for_each_other),
    CASE(rounds__find_a_message_that_nobody_receives),
    CASE(arrows__join_those_that_share_an_end),
    CASE(arrows__join_both_ways),
    CASE(arrows__count_repeats),
    CASE(arrows__say_what_they_leave_out),
    CASE(shared_steps__tell_members_and_root),
    CASE(shared_steps__count_repeats_and_say_what_they_leave_out),
};

CHECK_MAIN("rounds", cases)
