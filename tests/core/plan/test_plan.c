/* Plans: the steps of small ones written out, marks, pieces, and equal plans for equal arguments. */
#include <string.h>
#include "core/plan/planner.h"
#include "tests/check.h"
#include "tests/fixture.h"

static const char letter[] = "SR";

static void write_ref(struct wm_ref ref, char *text, size_t bytes)
{
    if (ref.buffer < WM_BUFFER_TEMPORARY)
        snprintf(text + strlen(text), bytes - strlen(text), "%c%zu", letter[ref.buffer], ref.offset);
    else
        snprintf(text + strlen(text), bytes - strlen(text), "t%d.%zu", ref.buffer - WM_BUFFER_TEMPORARY, ref.offset);
}

/* "send S0x4>1; recv R0x4<1; reduce t0.0>R0x4 (0 1)": in parentheses the steps that it waits for. "copy S0/1+2@3>R0x4":
 * in blocks of 1, 2 apart, from block 3 round. */
static void write_plan(const struct wm_plan *plan, char *text, size_t bytes)
{
    text[0] = '\0';
    for (int s = 0; s < plan->step_count; s++) {
        const struct wm_step *step = &plan->steps[s];
        const char *open = " (";
        struct wm_stride stride = wm_plan_stride(plan, step);
        bool local = step->kind == WM_STEP_REDUCE || step->kind == WM_STEP_COPY;

        snprintf(text + strlen(text), bytes - strlen(text), "%s%s", s > 0 ? "; " : "", wm_step_name(step->kind));
        if (local || step->kind == WM_STEP_SEND || step->kind == WM_STEP_RECV)
            snprintf(text + strlen(text), bytes - strlen(text), " ");
        if (local || step->kind == WM_STEP_SEND)
            write_ref(step->source, text, bytes);
        if (local && stride.block < step->count)
            snprintf(text + strlen(text), bytes - strlen(text), "/%zu+%zu", stride.block, stride.distance);
        if (stride.first > 0)
            snprintf(text + strlen(text), bytes - strlen(text), "@%zu", stride.first);
        if (local)
            snprintf(text + strlen(text), bytes - strlen(text), ">");
        if (local || step->kind == WM_STEP_RECV)
            write_ref(step->target, text, bytes);
        if (local || step->peer >= 0)
            snprintf(text + strlen(text), bytes - strlen(text), "x%zu", step->count);
        if (step->kind == WM_STEP_SEND || step->kind == WM_STEP_RECV)
            snprintf(text + strlen(text), bytes - strlen(text), "%c%d", step->kind == WM_STEP_SEND ? '>' : '<',
                     step->peer);
        for (int e = 0; e < s; e++)
            for (int i = 0; i < plan->steps[e].successors; i++)
                if (plan->successors[plan->steps[e].first_successor + i] == s) {
                    snprintf(text + strlen(text), bytes - strlen(text), "%s%d", open, e);
                    open = " ";
                }
        snprintf(text + strlen(text), bytes - strlen(text), "%s", open[1] == '(' ? "" : ")");
    }
}

static int make(struct wm_plan **plan, const char *machine, const struct wm_plan_call *call, int rank,
                const char *wrappers, struct wm_error *error)
{
    struct wm_grid grid;
    struct wm_layout *layout;
    struct wm_path *path;
    int rc;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, call->operation, &grid, error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    CU_ASSERT_EQUAL_FATAL(wm_layout_new(&layout, path, &grid, call->root, !call->commutative, error), 0);
    rc = wm_plan_make(plan, path, layout, call, rank, error);
    wm_layout_free(layout);
    wm_path_free(path);
    wm_grid_release(&grid);
    return rc;
}

static void check_plan(const char *machine, struct wm_plan_call call, int rank, const char *wrappers,
                       const char *expected)
{
    struct wm_error error = {0};
    struct wm_plan *plan;
    char text[2048];

    CU_ASSERT_EQUAL_FATAL(make(&plan, machine, &call, rank, wrappers, &error), 0);
    write_plan(plan, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, expected);
    if (strcmp(text, expected) != 0)
        printf("\n    got:      %s\n    expected: %s\n", text, expected);
    wm_plan_free(plan);
}

#define ALLREDUCE(units)                                                                                               \
    {                                                                                                                  \
        .operation = WM_ALLREDUCE, .count = (units), .unit_bytes = 8, .root = -1, .commutative = true                  \
    }
#define STAGE(name, axis, shape)                                                                                       \
    "{'wrapper': '" name "', 'arguments': [{'axis': '" axis "'}], 'keywords': {'shape': {'symbol': '" shape "'}}}"

static void plan__of_two_ranks_exchanges_and_reduces(void)
{
    check_plan("core=2", (struct wm_plan_call)ALLREDUCE(4), 0, "[" STAGE("allreduce", "all", "butterfly") "]",
               "send S0x4>1; recv R0x4<1; reduce S0>R0x4 (1)");
}

static void plan__of_more_steps_than_are_wanted_is_not_made(void)
{
    struct wm_plan_call call = ALLREDUCE(4);
    struct wm_error error;
    struct wm_plan *plan;

    call.steps_max = 3;
    CU_ASSERT_EQUAL(make(&plan, "core=2", &call, 0, "[" STAGE("allreduce", "all", "butterfly") "]", &error), 0);
    wm_plan_free(plan);
    call.steps_max = 2;
    CU_ASSERT_EQUAL(make(&plan, "core=2", &call, 0, "[" STAGE("allreduce", "all", "butterfly") "]", &error),
                    -WM_ENOMEM);
}

static void plan__in_place_takes_a_temporary_for_what_arrives(void)
{
    struct wm_plan_call call = ALLREDUCE(4);

    call.in_place = true;
    check_plan("core=2", call, 0, "[" STAGE("allreduce", "all", "butterfly") "]",
               "send R0x4>1; recv t0.0x4<1; reduce t0.0>R0x4 (0 1)");
}

static void plan__of_one_rank_copies_what_is_not_in_place(void)
{
    struct wm_plan_call call = ALLREDUCE(4);

    check_plan("core=1", call, 0, "[" STAGE("allreduce", "all", "ring") "]", "copy S0>R0x4");
    call.in_place = true;
    check_plan("core=1", call, 0, "[" STAGE("allreduce", "all", "ring") "]", "");
}

static void plan__of_no_units_has_no_steps(void)
{
    check_plan("core=4", (struct wm_plan_call)ALLREDUCE(0), 1, "[" STAGE("reduce", "all", "flat") "]", "");
}

static void plan__a_flat_root_reduces_in_one_order(void)
{
    check_plan("core=3", (struct wm_plan_call)ALLREDUCE(2), 0, "[" STAGE("reduce", "all", "flat") "]",
               "recv R0x2<1; reduce S0>R0x2 (0); recv t0.0x2<2; reduce t0.0>R0x2 (1 2); send R0x2>1 (3); "
               "send R0x2>2 (3)");
}

static void plan__a_flat_root_reduces_in_any_order_where_the_path_says_so(void)
{
    check_plan("core=3", (struct wm_plan_call)ALLREDUCE(2), 0,
               "[{'wrapper': 'reduce', 'arguments': [{'axis': 'all'}], 'keywords': {'shape': {'symbol': 'flat'}, "
               "'order': {'symbol': 'arrival'}}}]",
               "copy S0>R0x2; recv t0.0x2<1; reduce t0.0>R0x2 (0 1); recv t1.0x2<2; reduce t1.0>R0x2 (0 3); "
               "send R0x2>1 (2 4); send R0x2>2 (2 4)");
}

static void plan__a_leaf_of_a_reduce_sends_alone(void)
{
    struct wm_plan_call call = {.operation = WM_REDUCE, .count = 3, .unit_bytes = 8, .root = 1, .commutative = true};

    check_plan("core=3", call, 2, "[" STAGE("reduce", "all", "flat") "]", "send S0x3>1");
}

static void plan__a_bcast_chain_passes_on(void)
{
    struct wm_plan_call call = {.operation = WM_BCAST, .count = 3, .unit_bytes = 1, .root = 1, .commutative = true};

    check_plan("core=3", call, 1, "[" STAGE("bcast", "all", "chain") "]", "send R0x3>2");
    check_plan("core=3", call, 2, "[" STAGE("bcast", "all", "chain") "]", "recv R0x3<1; send R0x3>0 (0)");
    check_plan("core=3", call, 0, "[" STAGE("bcast", "all", "chain") "]", "recv R0x3<2");
}

static void plan__neighbours_alone_combine_if_the_operator_does_not_commute(void)
{
    struct wm_plan_call call = {.operation = WM_REDUCE, .count = 1, .unit_bytes = 8, .root = 1, .commutative = false};

    check_plan("core=3", call, 1, "[" STAGE("reduce", "all", "flat") "]",
               "recv t0.0x1<2; reduce S0>t0.0x1 (0); recv t1.0x1<0; reduce t1.0>t0.0x1 (1 2); copy t0.0>R0x1 (3)");
}

/* What each core is to combine stands apart, by nodes. */
static void plan__arranges_blocks_at_even_distances_by_one_copy(void)
{
    static const char stages[] =
        "[" STAGE("reduce-scatter", "core", "flat") "," STAGE("reduce-scatter", "node", "flat") "]";
    static const size_t counts[6] = {2, 1, 1, 1, 1, 2};
    struct wm_plan_call call = {
        .operation = WM_REDUCE_SCATTER_BLOCK, .count = 12, .unit_bytes = 8, .root = -1, .commutative = true};

    call.data = (struct wm_blocks){.count = 6, .each = 2};
    call.receive = (struct wm_blocks){.count = 1, .each = 2};
    check_plan("node=3,core=2", call, 0, stages,
               "copy S0/2+4>t0.0x6; copy S2/2+4>t0.6x6; send t0.6x6>1 (1); recv t1.0x6<1; "
               "reduce t0.0>t1.0x6 (0 3); send t1.2x2>2 (4); recv t2.0x2<4; reduce t2.0>t1.0x2 (4 6); "
               "send t1.4x2>4 (4); recv t3.0x2<2; reduce t3.0>t1.0x2 (7 9); copy t1.0>R0x2 (10)");
    call.in_place = true;
    check_plan("node=3,core=2", call, 0, stages,
               "copy R0/2+4>t0.0x6; copy R2/2+4>t0.6x6; send t0.6x6>1 (1); recv t1.0x6<1; "
               "reduce t0.0>t1.0x6 (0 3); send t1.2x2>2 (4); recv t2.0x2<4; reduce t2.0>t1.0x2 (4 6); "
               "send t1.4x2>4 (4); recv t3.0x2<2; reduce t3.0>t1.0x2 (7 9); copy t1.0>R0x2 (0 10)");
    call = (struct wm_plan_call){
        .operation = WM_REDUCE_SCATTER, .count = 8, .unit_bytes = 8, .root = -1, .commutative = true};
    call.data = (struct wm_blocks){.count = 6, .counts = counts};
    call.receive = (struct wm_blocks){.count = 1, .each = 2};
    check_plan("node=3,core=2", call, 0, stages,
               "copy S0>t0.0x2; copy S3/1+2>t0.2x2; copy S2/1+2>t0.4x2; copy S6>t0.6x2; "
               "send t0.4x4>1 (2 3); recv t1.0x4<1; reduce t0.0>t1.0x4 (0 1 5); send t1.2x1>2 (6); "
               "recv t2.0x2<4; reduce t2.0>t1.0x2 (6 8); send t1.3x1>4 (6); recv t3.0x2<2; "
               "reduce t3.0>t1.0x2 (9 11); copy t1.0>R0x2 (12)");
}

/* What goes to every second rank from this one on is one step, too, where it goes on with the first ranks. */
static void plan__packs_blocks_round_the_ranks_by_one_copy(void)
{
    struct wm_plan_call call = {.operation = WM_ALLTOALL, .unit_bytes = 8, .root = -1, .commutative = true};

    call.send = call.receive = (struct wm_blocks){.count = 6, .each = 1};
    check_plan("core=6", call, 3, "[" STAGE("alltoall", "all", "bruck") "]",
               "copy S0/1+2@2>t0.0x3; send t0.0x3>4 (0); recv t1.0x3<2; copy S5>t2.0x1; copy t1.1>t2.1x1 (2); "
               "send t2.0x2>5 (3 4); recv t3.0x2<1; copy S1>t4.0x1; copy t1.2>t4.1x1 (2); send t4.0x2>1 (7 8); "
               "recv t5.0x2<5; copy t3.1>R0x1 (6); copy t3.0>R1x1 (6); copy t1.0>R2x1 (2); copy S3>R3x1; "
               "copy t5.1>R4x1 (10); copy t5.0>R5x1 (10)");
}

static void plan__marks_stand_around_what_they_trace(void)
{
    struct wm_plan_call call = {
        .operation = WM_BCAST, .count = 3, .unit_bytes = 1, .root = 0, .commutative = true, .traced = true};

    check_plan("core=2", call, 0, "[{'wrapper': 'trace'}, " STAGE("bcast", "all", "chain") "]",
               "enterx3; send R0x3>1 (0); leavex3 (1)");
    call.traced = false;
    check_plan("core=2", call, 0, "[{'wrapper': 'trace'}, " STAGE("bcast", "all", "chain") "]", "send R0x3>1");
}

static void plan__pieces_wait_for_their_window(void)
{
    struct wm_plan_call call = {.operation = WM_BCAST, .count = 5, .unit_bytes = 1, .root = 0, .commutative = true};

    check_plan(
        "core=2", call, 1,
        "[{'wrapper': 'segment', 'arguments': [2], 'keywords': {'window': 1}}, " STAGE("bcast", "all", "chain") "]",
        "recv R0x2<0; join (0); recv R2x2<0 (1); join (2); recv R4x1<0 (3); join (4)");
    check_plan(
        "core=2", call, 1,
        "[{'wrapper': 'segment', 'arguments': [2], 'keywords': {'window': 8}}, " STAGE("bcast", "all", "chain") "]",
        "recv R0x2<0; join (0); recv R2x2<0; join (2); recv R4x1<0; join (4)");
}

static void plan__native_is_one_step(void)
{
    struct wm_plan_call call = {.operation = WM_SCAN, .count = 5, .unit_bytes = 4, .root = -1, .commutative = true};

    check_plan("core=4", call, 3, "[{'wrapper': 'native'}]", "native");
}

static void plan__numbers_messages_of_a_pair_and_tells_how_many_there_are(void)
{
    struct wm_plan_call call = {.operation = WM_BCAST, .count = 3, .unit_bytes = 1, .root = 0, .commutative = true};
    struct wm_error error = {0};
    struct wm_plan *plan;
    uint32_t next = 0;

    CU_ASSERT_EQUAL_FATAL(make(&plan, "core=2", &call, 1,
                               "[{'wrapper': 'segment', 'arguments': [1]}, " STAGE("bcast", "all", "flat") "]", &error),
                          0);
    for (int s = 0; s < plan->step_count; s++)
        if (plan->steps[s].kind == WM_STEP_RECV)
            CU_ASSERT_EQUAL(plan->steps[s].message, next++);
    CU_ASSERT_EQUAL(next, 3);
    CU_ASSERT_EQUAL(plan->message_steps, 3);
    wm_plan_free(plan);
    wm_plan_free(NULL);
}

static void plan__roots_are_sends_first(void)
{
    struct wm_plan_call call = ALLREDUCE(4);
    struct wm_error error = {0};
    struct wm_plan *plan;

    CU_ASSERT_EQUAL_FATAL(make(&plan, "core=2", &call, 0, "[" STAGE("allreduce", "all", "butterfly") "]", &error), 0);
    CU_ASSERT_EQUAL(plan->root_count, 2);
    CU_ASSERT_EQUAL(plan->steps[plan->roots[0]].kind, WM_STEP_SEND);
    CU_ASSERT_EQUAL(plan->steps[plan->roots[1]].kind, WM_STEP_RECV);
    wm_plan_free(plan);
}

static void plan__equal_arguments_make_equal_plans(void)
{
    struct wm_plan_call call = ALLREDUCE(100);
    struct wm_error error = {0};
    char first[16384], second[16384];

    for (int rank = 0; rank < 6; rank++)
        for (int again = 0; again < 2; again++) {
            struct wm_plan *plan;

            CU_ASSERT_EQUAL_FATAL(
                make(&plan, "node=3,core=2", &call, rank,
                     "[{'wrapper': 'segment', 'arguments': [80]}, " STAGE("reduce-scatter", "core", "ring") ", " STAGE(
                         "allreduce", "node", "halving") "]",
                     &error),
                0);
            write_plan(plan, again ? second : first, sizeof first);
            wm_plan_free(plan);
            if (again)
                CU_ASSERT_STRING_EQUAL(first, second);
        }
}

static void plan__many_small_pieces_are_refused(void)
{
    static const char wrappers[] =
        "[{'wrapper': 'segment', 'arguments': [64]}, " STAGE("allreduce", "all", "butterfly") "]";
    struct wm_plan_call call = ALLREDUCE(16384 * 8);
    struct wm_error error = {0};
    struct wm_plan *plan;

    CU_ASSERT_EQUAL(make(&plan, "core=2", &call, 0, wrappers, &error), 0);
    wm_plan_free(plan);
    call.count++;
    CU_ASSERT_EQUAL(make(&plan, "core=2", &call, 0, wrappers, &error), -WM_EPATH);
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_STRING_EQUAL(
        error.text, "16385 pieces of 64 bytes take more memory than the data; use larger segments, such as 64KiB");
}

static void plan__more_messages_than_a_number_holds_are_refused(void)
{
    struct wm_plan_call call = {
        .operation = WM_BCAST, .count = WM_MESSAGES_MAX, .unit_bytes = 512, .root = 0, .commutative = true};
    struct wm_error error = {0};
    struct wm_plan *plan;

    CU_ASSERT_EQUAL(make(&plan, "core=2", &call, 1,
                         "[{'wrapper': 'segment', 'arguments': [1]}, " STAGE("bcast", "all", "flat") "]", &error),
                    -WM_EPATH);
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_STRING_EQUAL(error.text, "more than 1048575 messages to one rank in a call; use larger segments");
}

static bool waits_for(const struct wm_plan *plan, int later, int earlier)
{
    const struct wm_step *s = &plan->steps[earlier];

    for (int i = 0; i < s->successors; i++)
        if (plan->successors[s->first_successor + i] == later)
            return true;
    return false;
}

static void plan__a_message_waits_for_the_one_that_has_its_tag(void)
{
    struct wm_plan_call call = {
        .operation = WM_BCAST, .count = WM_MESSAGE_TAGS + 40, .unit_bytes = 512, .root = 0, .commutative = true};
    struct wm_error error = {0};
    struct wm_plan *plan;
    int holders[WM_MESSAGE_TAGS], waiting = 0;

    for (int rank = 0; rank < 2; rank++) {
        CU_ASSERT_EQUAL_FATAL(make(&plan, "core=2", &call, rank,
                                   "[{'wrapper': 'segment', 'arguments': [1]}, " STAGE("bcast", "all", "flat") "]",
                                   &error),
                              0);
        for (int i = 0; i < plan->step_count; i++) {
            const struct wm_step *s = &plan->steps[i];

            if (s->kind != WM_STEP_SEND && s->kind != WM_STEP_RECV)
                continue;
            if (s->message >= WM_MESSAGE_TAGS) {
                CU_ASSERT(waits_for(plan, i, holders[s->message % WM_MESSAGE_TAGS]));
                waiting++;
            }
            holders[s->message % WM_MESSAGE_TAGS] = i;
        }
        wm_plan_free(plan);
    }
    CU_ASSERT_EQUAL(waiting, 2 * 40);
}

static const struct check_case cases[] = {
    CASE(plan__of_two_ranks_exchanges_and_reduces),
    CASE(plan__of_more_steps_than_are_wanted_is_not_made),
    CASE(plan__in_place_takes_a_temporary_for_what_arrives),
    CASE(plan__of_one_rank_copies_what_is_not_in_place),
    CASE(plan__of_no_units_has_no_steps),
    CASE(plan__a_flat_root_reduces_in_one_order),
    CASE(plan__a_flat_root_reduces_in_any_order_where_the_path_says_so),
    CASE(plan__a_leaf_of_a_reduce_sends_alone),
    CASE(plan__a_bcast_chain_passes_on),
    CASE(plan__neighbours_alone_combine_if_the_operator_does_not_commute),
    CASE(plan__arranges_blocks_at_even_distances_by_one_copy),
    CASE(plan__packs_blocks_round_the_ranks_by_one_copy),
    CASE(plan__marks_stand_around_what_they_trace),
    CASE(plan__pieces_wait_for_their_window),
    CASE(plan__native_is_one_step),
    CASE(plan__numbers_messages_of_a_pair_and_tells_how_many_there_are),
    CASE(plan__roots_are_sends_first),
    CASE(plan__equal_arguments_make_equal_plans),
    CASE(plan__many_small_pieces_are_refused),
    CASE(plan__a_message_waits_for_the_one_that_has_its_tag),
    CASE(plan__more_messages_than_a_number_holds_are_refused),
};

CHECK_MAIN("plan", cases)
