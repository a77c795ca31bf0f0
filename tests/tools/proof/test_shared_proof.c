/* The proof refutes what is wrong with shared steps: plans of one node are spoiled in every way that it is to see. */
#include <stdio.h>
#include <string.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tools/proof/prove.h"

typedef void spoiler(struct wm_plan *plan, int rank);

static struct wm_scenario scenario_of(enum wm_operation operation)
{
    return (struct wm_scenario){.operation = operation,
                                .each = 8,
                                .unit_bytes = 8,
                                .root = wm_operation_rooted(operation) ? 0 : -1,
                                .commutative = true};
}

static struct wm_proof prove(spoiler *spoil, enum wm_operation operation, const char *machine, const char *wrappers)
{
    struct wm_prove_options options = {.random_orders = 2, .race_steps_max = 100, .spoil = spoil};
    struct wm_scenario scenario = scenario_of(operation);
    struct wm_proof proof = {0};
    struct wm_error error = {0};
    struct wm_grid grid;
    struct wm_path *path;

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, operation, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    wm_prove(&proof, path, &grid, &scenario, &options);
    wm_path_free(path);
    wm_grid_release(&grid);
    return proof;
}

#define SHARED(name, axis)                                                                                             \
    "{'wrapper':'" name "','arguments':[{'axis':'" axis "'}],'keywords':{'shape':{'symbol':'shared'}}}"

static void refutes(spoiler *spoil, enum wm_operation operation, const char *machine, const char *wrappers,
                    const char *sentence)
{
    struct wm_proof proof = prove(spoil, operation, machine, wrappers);

    CU_ASSERT_EQUAL(proof.outcome, sentence == NULL ? WM_PROVEN : WM_REFUTED);
    if (sentence != NULL && strcmp(proof.error.text, sentence) != 0) {
        printf("\n    wanted: %s\n    found:  %s\n", sentence, proof.error.text);
        CU_FAIL("another sentence");
    }
}

/* A reduce to rank 0 and the bcast behind it, of three ranks: two shared steps each. */
enum { REDUCE, BCAST, STEPS };

static void refutes_pair(spoiler *spoil, const char *sentence)
{
    refutes(spoil, WM_ALLREDUCE, "core=3", "[" SHARED("reduce", "all") "]", sentence);
}

static void set_members(struct wm_plan *plan, int step, int first, int second, int third)
{
    int *members = (int *)plan->shared[plan->steps[step].message].members;

    members[0] = first;
    members[1] = second;
    members[2] = third;
}

static void leave(struct wm_plan *plan, int rank)
{
    (void)rank;
    CU_ASSERT_EQUAL_FATAL(plan->step_count, STEPS);
    CU_ASSERT_EQUAL_FATAL(plan->steps[REDUCE].kind, WM_STEP_SHARED);
    CU_ASSERT_EQUAL_FATAL(plan->shared[0].kind, WM_SHARED_REDUCE);
    CU_ASSERT_EQUAL_FATAL(plan->shared[1].kind, WM_SHARED_BCAST);
}

static void other_order_of_members(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        set_members(plan, REDUCE, 2, 1, 0);
}

static void somebody_who_is_not_there(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        set_members(plan, REDUCE, 0, 1, 3);
}

static void somebody_twice(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        set_members(plan, REDUCE, 0, 1, 0);
}

static void not_itself(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        plan->shared[0].self = 2;
}

static void other_root(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        plan->shared[1].root = 2;
}

static void other_kind(struct wm_plan *plan, int rank)
{
    if (rank == 2)
        plan->shared[1].kind = WM_SHARED_SCATTER;
}

static void other_count(struct wm_plan *plan, int rank)
{
    if (rank == 2)
        ((size_t *)plan->shared[0].counts)[0] = 7;
}

static void other_fan(struct wm_plan *plan, int rank)
{
    if (rank == 2)
        plan->shared[0].fan = 2;
}

static void other_chunk(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        plan->transports[0].chunk_bytes = 4096;
}

static void no_such_transport(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        plan->steps[BCAST].transport = 5;
}

static void swapped(struct wm_plan *plan, int rank)
{
    uint32_t first = plan->steps[REDUCE].message;

    if (rank != 2)
        return;
    plan->steps[REDUCE].message = plan->steps[BCAST].message;
    plan->steps[BCAST].message = first;
}

static void dropped(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        plan->steps[BCAST].kind = WM_STEP_JOIN;
}

static void beyond(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        ((struct wm_ref *)plan->shared[1].to)[0].offset = 1;
}

/* The bcast need not wait for the reduce that it gives the result of. */
static void cut(struct wm_plan *plan, int rank)
{
    if (rank > 0 || plan->steps[REDUCE].successors == 0)
        return;
    plan->steps[REDUCE].successors = plan->steps[BCAST].first_successor = plan->steps[BCAST].dependencies = 0;
    plan->roots[plan->root_count++] = BCAST;
}

/* The root combines into a place from which the others are not given. */
static void given_from_elsewhere(struct wm_plan *plan, int rank)
{
    if (rank == 0)
        ((struct wm_ref *)plan->shared[1].from)[0].buffer = WM_BUFFER_SEND;
}

static void proof__passes_shared_steps_that_are_right(void)
{
    struct wm_proof proof = prove(leave, WM_ALLREDUCE, "core=3", "[" SHARED("reduce", "all") "]");

    CU_ASSERT_EQUAL(proof.outcome, WM_PROVEN);
    CU_ASSERT_EQUAL(proof.shared_steps, 2);
    CU_ASSERT_EQUAL(proof.messages, 0);
    CU_ASSERT_EQUAL(proof.rounds, 2);
    CU_ASSERT_EQUAL(proof.rank_units, 16); /* what rank 0 gives to both */
}

static void proof__refutes_members_that_do_not_fit(void)
{
    refutes_pair(
        other_order_of_members,
        "shared step 0 of ranks 0-2 is bcast with root 0 at rank 1 (line 1, step 1), but reduce with root 0 at "
        "rank 0 (line 1, step 0)");
    refutes_pair(somebody_who_is_not_there, "rank 1: step 0: shared with rank 3, which does not exist");
    refutes_pair(somebody_twice, "rank 1: step 0: shared with rank 0, which is listed twice");
    refutes_pair(not_itself, "rank 1: step 0: shared by members of whom the rank is not number 2");
}

static void proof__refutes_members_that_mean_different_things(void)
{
    refutes_pair(other_root, "shared step 1 of ranks 0-2 is bcast with root 2 at rank 1 (line 1, step 1), but bcast "
                             "with root 0 at rank 0 (line 1, step 1)");
    refutes_pair(other_kind, "shared step 1 of ranks 0-2 is scatter with root 0 at rank 2 (line 1, step 1), but bcast "
                             "with root 0 at rank 0 (line 1, step 1)");
    refutes_pair(other_count, "shared step 0 of ranks 0-2 has in share 0 7 units at rank 2 (line 1, step 0), but 8 at "
                              "rank 0 (line 1, step 0)");
    refutes_pair(other_fan, "shared step 0 of ranks 0-2 goes in a fan of 2 at rank 2 (line 1, step 0), but of 0 at "
                            "rank 0 (line 1, step 0)");
    refutes_pair(other_chunk, "shared step 0 of ranks 0-2 goes in chunks of 4096 bytes at rank 1 (line 1, step 0), but "
                              "of 0 at rank 0 (line 1, step 0)");
    refutes_pair(no_such_transport, "rank 1: step 1 (shared) goes by transport 5, but there are 1");
}

static void proof__refutes_shared_steps_in_another_order(void)
{
    refutes_pair(swapped, "shared step 0 of ranks 0-2 is bcast with root 0 at rank 2 (line 1, step 0), but reduce with "
                          "root 0 at rank 0 (line 1, step 0)");
}

static void proof__refutes_a_shared_step_left_out(void)
{
    refutes_pair(dropped, "shared step 1 of ranks 0-2 is listed by rank 0 (line 1, step 1), but not by rank 1");
}

static void proof__refutes_shared_steps_in_wrong_places(void)
{
    refutes_pair(beyond, "rank 1: step 1: shared of 8 units at 1 leaves the blocks of the receive buffer");
    refutes_pair(cut,
                 "rank 0: step 0 (shared) and step 1 (shared) both touch unit 0 of the receive buffer, and nothing "
                 "orders them");
    refutes_pair(given_from_elsewhere, "rank 1 ends without the contribution of rank 1 in unit 0");
}

/* Two nodes: what is of one is not of the other. */

static void across_nodes(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        ((int *)plan->shared[0].members)[0] = 2;
}

static void another_net(struct wm_plan *plan, int rank)
{
    for (int s = 0; rank == 2 && s < plan->step_count; s++)
        if (plan->steps[s].kind == WM_STEP_SEND)
            plan->steps[s].net = WM_NET_SHM;
}

static void another_net_at_one_end(struct wm_plan *plan, int rank)
{
    for (int s = 0; rank == 1 && s < plan->step_count; s++)
        if (plan->steps[s].kind == WM_STEP_SEND)
            plan->steps[s].net = WM_NET_MPI;
}

static void proof__refutes_memory_that_is_not_shared(void)
{
    static const char path[] = "[" SHARED("reduce", "core") ",{'wrapper':'reduce','arguments':[{'axis':'node'}]}]";

    refutes(NULL, WM_REDUCE, "node=2,core=2", path, NULL);
    refutes(across_nodes, WM_REDUCE, "node=2,core=2", path,
            "rank 1: step 0: shared with rank 2, which is on another node");
    refutes(another_net, WM_REDUCE, "node=2,core=2", path,
            "rank 2: step 1: send through shared memory with rank 0, which is on another node");
    refutes(another_net_at_one_end, WM_REDUCE, "core=2", "[{'wrapper':'reduce','arguments':[{'axis':'all'}]}]",
            "message 0 from rank 1 to rank 0 is sent by net 0 (line 1), but received by net 1 (line 1)");
}

/* Plans by hand, of two ranks: shared steps that carry nothing, and a message. */

struct sketch {
    enum wm_step_kind kind;
    int after; /* the step that it waits for; -1: none */
};

static void add_shared(struct wm_plan *plan, struct wm_step *step, int rank)
{
    const int members[] = {0, 1};
    const struct wm_ref nowhere[2] = {{0}};
    const size_t counts[2] = {0};
    const struct wm_shared barrier = {WM_SHARED_BCAST, 2, rank, 0, 0, members, nowhere, nowhere, counts};

    step->message = (uint32_t)plan->shared_count++;
    plan->shared = realloc(plan->shared, sizeof *plan->shared * (size_t)plan->shared_count);
    CU_ASSERT_FATAL(wm_shared_copy(&plan->shared[step->message], &barrier));
}

static void find_edges(struct wm_plan *plan, const struct sketch *sketches)
{
    int edges = 0;

    plan->root_count = 0;
    for (int s = 0; s < plan->step_count; s++) {
        plan->steps[s].first_successor = edges;
        for (int later = s + 1; later < plan->step_count; later++)
            if (sketches[later].after == s) {
                plan->successors[edges++] = later;
                plan->steps[s].successors++;
                plan->steps[later].dependencies++;
            }
    }
    for (int turn = 0; turn < 3; turn++)
        for (int s = 0; s < plan->step_count; s++)
            if (sketches[s].after < 0 && turn == (sketches[s].kind == WM_STEP_SEND   ? 0
                                                  : sketches[s].kind == WM_STEP_RECV ? 1
                                                                                     : 2))
                plan->roots[plan->root_count++] = s;
}

/* Put these steps in the place of a plan's own. */
static void redraw(struct wm_plan *plan, int rank, const struct sketch *sketches, int count)
{
    plan->steps = realloc(plan->steps, sizeof *plan->steps * (size_t)count);
    plan->successors = realloc(plan->successors, sizeof(int) * (size_t)count);
    plan->roots = realloc(plan->roots, sizeof(int) * (size_t)count);
    plan->step_count = count;
    plan->message_steps = 0;
    for (int s = 0; s < count; s++) {
        plan->steps[s] = (struct wm_step){.kind = (uint8_t)sketches[s].kind, .node = 1, .peer = 1 - rank, .count = 8};
        if (sketches[s].kind == WM_STEP_SHARED)
            add_shared(plan, &plan->steps[s], rank);
        else
            plan->message_steps++;
        plan->steps[s].source.buffer = WM_BUFFER_SEND;
        plan->steps[s].target.buffer = WM_BUFFER_RECEIVE;
    }
    find_edges(plan, sketches);
}

/* Rank 1 comes to the first only once a message has come that rank 0 sends behind the last. */
static void wait_for_the_last(struct wm_plan *plan, int rank, int shared)
{
    const struct sketch first[] = {
        {WM_STEP_SHARED, -1}, {WM_STEP_SHARED, -1}, {WM_STEP_SHARED, -1}, {WM_STEP_SHARED, -1}, {WM_STEP_SHARED, -1}};
    const struct sketch second[] = {{WM_STEP_RECV, -1},   {WM_STEP_SHARED, 0},  {WM_STEP_SHARED, -1},
                                    {WM_STEP_SHARED, -1}, {WM_STEP_SHARED, -1}, {WM_STEP_SHARED, -1}};
    struct sketch steps[6];

    memcpy(steps, rank == 0 ? first : second, rank == 0 ? sizeof first : sizeof second);
    if (rank == 0)
        steps[shared] = (struct sketch){WM_STEP_SEND, shared - 1};
    redraw(plan, rank, steps, shared + 1);
}

static void four_at_once(struct wm_plan *plan, int rank)
{
    wait_for_the_last(plan, rank, 4);
}

static void five_at_once(struct wm_plan *plan, int rank)
{
    wait_for_the_last(plan, rank, 5);
}

/* Each waits in the one for the other to come to the next. */
static void crossed(struct wm_plan *plan, int rank)
{
    const struct sketch first[] = {{WM_STEP_SHARED, -1}, {WM_STEP_SEND, 0}};
    const struct sketch second[] = {{WM_STEP_RECV, -1}, {WM_STEP_SHARED, 0}};

    redraw(plan, rank, rank == 0 ? first : second, 2);
}

static void refutes_sketch(spoiler *spoil, const char *sentence)
{
    refutes(spoil, WM_ALLREDUCE, "core=2", "[{'wrapper':'reduce','arguments':[{'axis':'all'}]}]", sentence);
}

static void proof__refutes_a_deadlock_and_says_who_has_not_come(void)
{
    refutes_sketch(crossed, "deadlock: rank 0 (line 1, step 0) waits in the shared bcast of ranks 0-1 for rank 1 (line "
                            "1, step 1); rank 1 (line 1, step 0) receives from rank 0");
}

static void proof__lets_four_shared_steps_be_under_way_and_no_more(void)
{
    refutes_sketch(four_at_once, "rank 0 ends without a result in unit 0");
    refutes_sketch(five_at_once, "deadlock: rank 0 (line 1, step 0) waits in the shared bcast of ranks 0-1 for rank 1 "
                                 "(line 1, step 1); rank 1 (line 1, step 0) receives from rank 0");
}

/* All kinds that move or combine shares: what one member brings goes where it is to go, and what is spoiled shows. */

static void swap_places(struct wm_ref *places)
{
    struct wm_ref first = places[1];

    places[1] = places[2];
    places[2] = first;
}

static void given_to_the_wrong_ones(struct wm_plan *plan, int rank)
{
    if (rank == 0)
        swap_places((struct wm_ref *)plan->shared[0].from);
}

static void got_from_the_wrong_ones(struct wm_plan *plan, int rank)
{
    if (rank == 0)
        swap_places((struct wm_ref *)plan->shared[0].to);
}

static void proof__refutes_shares_in_the_place_of_others(void)
{
    refutes(got_from_the_wrong_ones, WM_GATHER, "core=3", "[" SHARED("gather", "all") "]",
            "rank 0 ends with unit 16 of the call's data in unit 8, which is to be 8");
    refutes(given_to_the_wrong_ones, WM_SCATTER, "core=3", "[" SHARED("scatter", "all") "]",
            "rank 1 ends with unit 16 of the call's data in unit 0, which is to be 8");
    refutes(got_from_the_wrong_ones, WM_ALLGATHER, "core=3", "[" SHARED("allgather", "all") "]",
            "rank 0 ends with unit 16 of the call's data in unit 8, which is to be 8");
    refutes(given_to_the_wrong_ones, WM_ALLTOALL, "core=3", "[" SHARED("alltoall", "all") "]",
            "rank 1 ends with unit 16 of the call's data in unit 0, which is to be 8");
    refutes(given_to_the_wrong_ones, WM_REDUCE_SCATTER_BLOCK, "core=3", "[" SHARED("reduce-scatter", "all") "]",
            "rank 1: step 0 reduces unit 16 of the call's data with unit 8");
}

/* Members of a scan get what those before them hold, neither more nor less. */

static void more_than_those_before(struct wm_plan *plan, int rank)
{
    (void)rank;
    plan->shared[0].kind = WM_SHARED_ALLREDUCE;
}

static void less_than_those_before(struct wm_plan *plan, int rank)
{
    (void)rank;
    plan->shared[0].kind = WM_SHARED_EXSCAN;
}

static void another_scan_at_one(struct wm_plan *plan, int rank)
{
    if (rank == 1)
        plan->shared[0].kind = WM_SHARED_EXSCAN;
}

static void proof__refutes_scans_of_others_than_those_before(void)
{
    refutes(NULL, WM_SCAN, "core=4", "[" SHARED("scan", "all") "]", NULL);
    refutes(NULL, WM_EXSCAN, "core=4", "[" SHARED("scan", "all") "]", NULL);
    refutes(more_than_those_before, WM_SCAN, "core=3", "[" SHARED("scan", "all") "]",
            "rank 0 ends with the contribution of rank 2 in unit 0");
    refutes(less_than_those_before, WM_SCAN, "core=3", "[" SHARED("scan", "all") "]",
            "rank 0 ends without a result in unit 0");
    refutes(another_scan_at_one, WM_SCAN, "core=3", "[" SHARED("scan", "all") "]",
            "shared step 0 of ranks 0-2 is exscan at rank 1 (line 1, step 0), but scan at rank 0 (line 1, step 0)");
    refutes(more_than_those_before, WM_EXSCAN, "core=3", "[" SHARED("scan", "all") "]",
            "rank 0: step 0: shared of 8 units at 0 leaves the blocks of the receive buffer");
    refutes(other_order_of_members, WM_SCAN, "core=3", "[" SHARED("scan", "all") "]",
            "shared step 0 of ranks 0-2 is listed by rank 0 (line 1, step 0), but not by rank 1");
}

static const struct check_case cases[] = {
    CASE(proof__passes_shared_steps_that_are_right),
    CASE(proof__refutes_members_that_do_not_fit),
    CASE(proof__refutes_members_that_mean_different_things),
    CASE(proof__refutes_shared_steps_in_another_order),
    CASE(proof__refutes_a_shared_step_left_out),
    CASE(proof__refutes_shared_steps_in_wrong_places),
    CASE(proof__refutes_memory_that_is_not_shared),
    CASE(proof__refutes_a_deadlock_and_says_who_has_not_come),
    CASE(proof__lets_four_shared_steps_be_under_way_and_no_more),
    CASE(proof__refutes_shares_in_the_place_of_others),
    CASE(proof__refutes_scans_of_others_than_those_before),
};

CHECK_MAIN("shared-proof", cases)
