/* The proof refutes what is wrong: plans are spoiled in every way that it is to see. */
#include <stdio.h>
#include <string.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "core/hash.h"
#include "tools/proof/prove.h"

/* A butterfly of two ranks: each sends, receives, and reduces. */
enum { SEND, RECV, REDUCE, STEPS };

static const struct wm_scenario eight = {
    .operation = WM_ALLREDUCE, .each = 8, .unit_bytes = 8, .root = -1, .commutative = true};

static struct wm_proof prove(const struct wm_prove_options *options, const struct wm_scenario *scenario,
                             const char *machine, const char *wrappers)
{
    struct wm_proof proof = {0};
    struct wm_grid grid;
    struct wm_path *path;
    struct wm_error error = {0};

    CU_ASSERT_FATAL(fixture_grid(&grid, machine));
    path = fixture_path(wrappers, scenario->operation, &grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    wm_prove(&proof, path, &grid, scenario, options);
    wm_path_free(path);
    wm_grid_release(&grid);
    return proof;
}

static struct wm_proof prove_spoiled(void (*spoil)(struct wm_plan *, int), const struct wm_scenario *scenario,
                                     const char *machine, const char *wrappers)
{
    struct wm_prove_options options = {.random_orders = 1, .race_steps_max = 100, .spoil = spoil};

    return prove(&options, scenario, machine, wrappers);
}

static void refutes(void (*spoil)(struct wm_plan *, int), const char *sentence)
{
    struct wm_proof proof = prove_spoiled(
        spoil, &eight, "core=2",
        "[{'wrapper':'allreduce','arguments':[{'axis':'all'}],'keywords':{'shape':{'symbol':'butterfly'}}}]");

    CU_ASSERT_EQUAL(proof.outcome, sentence == NULL ? WM_PROVEN : WM_REFUTED);
    if (sentence != NULL && strcmp(proof.error.text, sentence) != 0) {
        printf("\n    wanted: %s\n    found:  %s\n", sentence, proof.error.text);
        CU_FAIL("another sentence");
    }
}

static void leave(struct wm_plan *plan, int rank)
{
    (void)rank;
    CU_ASSERT_EQUAL_FATAL(plan->step_count, STEPS);
    CU_ASSERT_EQUAL_FATAL(plan->steps[SEND].kind, WM_STEP_SEND);
    CU_ASSERT_EQUAL_FATAL(plan->steps[RECV].kind, WM_STEP_RECV);
    CU_ASSERT_EQUAL_FATAL(plan->steps[REDUCE].kind, WM_STEP_REDUCE);
}

static void send_less(struct wm_plan *plan, int rank)
{
    plan->steps[SEND].count -= rank == 0;
}

static void receive_beyond(struct wm_plan *plan, int rank)
{
    plan->steps[RECV].target.offset += rank == 1;
}

static void copy_instead(struct wm_plan *plan, int rank)
{
    if (rank == 0)
        plan->steps[REDUCE].kind = WM_STEP_COPY;
}

static void shift(struct wm_plan *plan, int rank)
{
    if (rank == 1) {
        plan->steps[SEND].count = plan->steps[REDUCE].count = plan->steps[RECV].count = 7;
        plan->steps[SEND].source.offset = 1;
    } else {
        plan->steps[SEND].count = plan->steps[RECV].count = plan->steps[REDUCE].count = 7;
    }
}

/* No step waits for another. */
static void cut(struct wm_plan *plan, int rank)
{
    (void)rank;
    for (int s = 0; s < plan->step_count; s++) {
        plan->steps[s].first_successor = plan->steps[s].successors = plan->steps[s].dependencies = 0;
        plan->roots[s] = s;
    }
    plan->root_count = plan->step_count;
}

/* Each step waits for the one before, and the receive comes first. */
static void chain(struct wm_plan *plan, int rank)
{
    struct wm_step swap = plan->steps[SEND];

    (void)rank;
    plan->steps[SEND] = plan->steps[RECV];
    plan->steps[RECV] = swap;
    for (int s = 0; s < plan->step_count; s++) {
        plan->steps[s].first_successor = s;
        plan->steps[s].successors = s + 1 < plan->step_count;
        plan->steps[s].dependencies = s > 0;
        if (s + 1 < plan->step_count)
            plan->successors[s] = s + 1;
    }
    plan->roots[0] = 0;
    plan->root_count = 1;
}

static void forget_message(struct wm_plan *plan, int rank)
{
    if (rank == 1) {
        plan->steps[SEND].kind = WM_STEP_JOIN;
        plan->message_steps--;
        plan->roots[0] = RECV;
        plan->roots[1] = SEND;
    }
}

/* The first and the last message that rank 2 receives come from each other's rank: it combines in another order. */
static void swap_peers(struct wm_plan *plan, int rank)
{
    struct wm_step *first = NULL, *last = NULL;
    int peer;

    for (int s = 0; s < plan->step_count; s++)
        if (plan->steps[s].kind == WM_STEP_RECV) {
            first = first != NULL ? first : &plan->steps[s];
            last = &plan->steps[s];
        }
    if (rank != 2)
        return;
    peer = first->peer;
    first->peer = last->peer;
    last->peer = peer;
}

/* Whatever the size: a unit's tree is compared with its own. */
static void proof__refutes_another_tree_of_combinations(void)
{
    static const char path[] = "[{'wrapper':'allreduce','arguments':[{'axis':'all'}],'keywords':"
                               "{'shape':[{'symbol':'butterfly'},4]}}]";
    struct wm_proof proof = prove_spoiled(swap_peers, &eight, "core=4", path);

    CU_ASSERT_EQUAL(proof.outcome, WM_REFUTED);
    CU_ASSERT_STRING_EQUAL(proof.error.text, "rank 2: unit 0 is combined otherwise than before, or than at another "
                                             "rank, though the order is fixed");
    CU_ASSERT_EQUAL(prove_spoiled(NULL, &eight, "core=4", path).outcome, WM_PROVEN);
}

static void proof__passes_what_is_right(void)
{
    refutes(leave, NULL);
}

static void proof__refutes_messages_of_two_sizes(void)
{
    refutes(send_less, "rank 0 sends 7 units to rank 1 as message 0, but rank 1 receives 8");
}

static void proof__refutes_what_leaves_a_buffer(void)
{
    refutes(receive_beyond, "rank 1: step 1: recv of 8 units at 1 leaves the blocks of the receive buffer");
}

static void proof__refutes_a_contribution_left_out(void)
{
    refutes(copy_instead, "rank 0 ends without the contribution of rank 1 in unit 0");
}

static void proof__refutes_units_that_do_not_belong_together(void)
{
    refutes(shift, "rank 0: step 2 reduces unit 0 of the call's data with unit 1");
}

static void proof__refutes_a_race(void)
{
    refutes(cut, "rank 0: step 1 (recv) and step 2 (reduce) both touch unit 0 of the receive buffer, and nothing "
                 "orders them");
}

static void proof__refutes_a_deadlock_and_says_who_waits_for_whom(void)
{
    refutes(chain, "deadlock: rank 0 (line 1, step 0) receives from rank 1; rank 1 (line 1, step 0) receives from rank "
                   "0");
}

static void proof__refutes_a_message_without_its_other_end(void)
{
    refutes(forget_message, "message 0 from rank 1 to rank 0 is only received");
}

/* Data that is moved: a gather whose root puts a block where another one belongs, or into a gap. */

static void swap_targets(struct wm_plan *plan, int rank)
{
    struct wm_step *first = NULL;

    for (int s = 0; rank == 0 && s < plan->step_count; s++) {
        struct wm_ref swap = plan->steps[s].target;

        if (plan->steps[s].kind != WM_STEP_RECV)
            continue;
        if (first != NULL) {
            plan->steps[s].target = first->target;
            first->target = swap;
            return;
        }
        first = &plan->steps[s];
    }
}

/* Blocks at even distances: the first one to be copied does not exist, or one is more than all. */

static void begin_behind(struct wm_plan *plan, int rank)
{
    for (int s = 0; rank == 0 && s < plan->step_count; s++)
        if (plan->steps[s].kind == WM_STEP_COPY && plan->steps[s].message != 0)
            plan->strides[plan->steps[s].message - 1].first += 720720;
}

static void widen(struct wm_plan *plan, int rank)
{
    for (int i = 0; rank == 0 && i < plan->stride_count; i++)
        plan->strides[i].block += 100;
}

static void proof__refutes_blocks_that_do_not_exist(void)
{
    static const char bruck[] =
        "[{'wrapper':'alltoall','arguments':[{'axis':'all'}],'keywords':{'shape':{'symbol':'bruck'}}}]";
    struct wm_scenario scenario = {.operation = WM_ALLTOALL, .each = 2, .unit_bytes = 1, .commutative = true};
    struct wm_proof beyond = prove_spoiled(begin_behind, &scenario, "core=8", bruck),
                    wide = prove_spoiled(widen, &scenario, "core=8", bruck);

    CU_ASSERT_EQUAL(beyond.outcome, WM_REFUTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(beyond.error.text, "beginning with block 7207"));
    CU_ASSERT_EQUAL(wide.outcome, WM_REFUTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(wide.error.text, "units in blocks of 102, "));
}

static void proof__refutes_a_block_in_the_place_of_another(void)
{
    struct wm_scenario scenario = {.operation = WM_GATHER, .each = 2, .unit_bytes = 1, .commutative = true};
    struct wm_proof proof =
        prove_spoiled(swap_targets, &scenario, "core=3",
                      "[{'wrapper':'gather','arguments':[{'axis':'all'}],'keywords':{'shape':{'symbol':'flat'}}}]");

    CU_ASSERT_EQUAL(proof.outcome, WM_REFUTED);
    CU_ASSERT_STRING_EQUAL(proof.error.text, "rank 0 ends with unit 4 of the call's data in unit 2, which is to be 2");
}

static void proof__tells_what_a_path_costs(void)
{
    struct wm_proof proof = prove_spoiled(
        NULL, &eight, "node=2,core=2",
        "[{'wrapper':'reduce','arguments':[{'axis':'core'}]},{'wrapper':'reduce','arguments':[{'axis':'node'}]}]");

    CU_ASSERT_EQUAL(proof.outcome, WM_PROVEN);
    CU_ASSERT_EQUAL(proof.messages, 6);
    CU_ASSERT_EQUAL(proof.rounds, 4);
    CU_ASSERT_EQUAL(proof.rank_units, 16);
    CU_ASSERT_EQUAL(proof.link_units, 8);
}

/* Members pass each share on once, whatever the operator. */
static void proof__tells_what_the_order_of_ranks_costs(void)
{
    static const struct wm_scenario ordered = {
        .operation = WM_REDUCE_SCATTER_BLOCK, .each = 3, .unit_bytes = 8, .root = -1};
    struct wm_proof ring = prove_spoiled(
        NULL, &ordered, "core=6",
        "[{'wrapper':'reduce-scatter','arguments':[{'axis':'all'}],'keywords':{'shape':{'symbol':'ring'}}}]");
    struct wm_proof halving = prove_spoiled(
        NULL, &ordered, "core=8",
        "[{'wrapper':'reduce-scatter','arguments':[{'axis':'all'}],'keywords':{'shape':{'symbol':'halving'}}}]");

    CU_ASSERT_EQUAL(ring.outcome, WM_PROVEN);
    CU_ASSERT_EQUAL(ring.messages, 6 * 5);
    CU_ASSERT_EQUAL(ring.rounds, 5);
    CU_ASSERT_EQUAL(ring.rank_units, 7 * 3); /* received: others' shares once, and its own from both sides */
    CU_ASSERT_EQUAL(halving.outcome, WM_PROVEN);
    CU_ASSERT_EQUAL(halving.messages, 8 * 3 + 4); /* four of eight seats have others' shares at the end */
    CU_ASSERT_EQUAL(halving.rounds, 4);
    CU_ASSERT_EQUAL(halving.rank_units, (4 + 2 + 1 + 1) * 3);
}

static void proof__says_beforehand_what_is_too_large(void)
{
    struct wm_scenario scenario = {.operation = WM_BCAST, .each = 8000, .unit_bytes = 1, .commutative = true};
    struct wm_proof proof =
        prove_spoiled(NULL, &scenario, "core=8000",
                      "[{'wrapper':'scatter','arguments':[{'axis':'all'}],'keywords':{'out':{'symbol':'ring'}}}]");

    CU_ASSERT_EQUAL(proof.outcome, WM_TOO_LARGE);
    CU_ASSERT_STRING_EQUAL(
        proof.error.text, "too large to be carried out here: 8000 ranks have more than the 16 million steps that there "
                          "is room for; choose fewer ranks, or a path with fewer messages; by symmetry it is not "
                          "proven: the call has no symmetry");
}

/* The first ranks lead a node each, and have nearly all steps. */
static void proof__weighs_ranks_that_differ_by_all_of_them(void)
{
    struct wm_scenario scenario = {
        .operation = WM_ALLREDUCE, .each = 300, .unit_bytes = 8, .root = -1, .commutative = true};
    struct wm_proof proof =
        prove_spoiled(NULL, &scenario, "node=300,core=40,order=cyclic",
                      "[{'wrapper':'reduce','arguments':[{'axis':'core'}]},"
                      "{'wrapper':'allreduce','arguments':[{'axis':'node'}],'keywords':{'shape':{'symbol':'ring'}}}]");

    CU_ASSERT_EQUAL(proof.outcome, WM_PROVEN);
    CU_ASSERT_EQUAL(proof.representatives, 0);
    CU_ASSERT_TRUE(proof.steps > 300 * 299 * 4);
}

static int plans_made;

static void count_plan(struct wm_plan *plan, int rank)
{
    (void)plan;
    (void)rank;
    plans_made++;
}

/* What is held on the way are sets of every 256th rank, of a bit for each rank between. */
static void proof__ends_where_there_is_no_memory(void)
{
    static const char path[] = "[{'wrapper':'reduce','arguments':[{'axis':'core'}]},"
                               "{'wrapper':'reduce','arguments':[{'axis':'node'}]}]";
    struct wm_prove_options options = {.race_steps_max = 100, .bytes_max = 64 << 20};
    struct wm_proof proof = prove(&options, &eight, "node=256,core=16,order=cyclic", path);

    CU_ASSERT_EQUAL(proof.outcome, WM_PROVEN);
    options.bytes_max = 3 << 20;
    options.spoil = count_plan;
    proof = prove(&options, &eight, "node=256,core=16,order=cyclic", path);
    CU_ASSERT_EQUAL(proof.outcome, WM_TOO_LARGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(proof.error.text, "too large to be carried out here: what 4096 ranks hold on the way "
                                                    "takes more than the 3 MiB that a call"));
    CU_ASSERT_TRUE(plans_made < 2 * 4096); /* in full once */
}

/* Of more ranks than two words have bits. */
enum { SYMBOL_RANKS = 150, SYMBOLS = 8, SYMBOL_STEPS = 20000 };

static bool symbol_is(const struct wm_symbol *symbol, const bool ranks[SYMBOL_RANKS])
{
    for (int r = 0; r < SYMBOL_RANKS; r++)
        if ((r == symbol->high || wm_symbol_differs(symbol, r, r) != r) != ranks[r])
            return false;
    return symbol->high < SYMBOL_RANKS;
}

/* In either order, if that does not matter; and however many others were combined in between. */
static void symbols__of_the_same_two_are_one(void)
{
    struct wm_arena arena = {0};
    int culprit;

    for (int kind = WM_SYMBOL_SET; kind <= WM_SYMBOL_INTERVAL; kind++) {
        struct wm_symbols symbols = {.arena = &arena, .ranks = SYMBOL_RANKS, .kind = (enum wm_symbol_kind)kind};
        const struct wm_symbol *leaf[SYMBOL_RANKS], *sum[SYMBOL_RANKS];

        for (int r = 0; r < SYMBOL_RANKS; r++)
            leaf[r] = wm_symbol_leaf(&symbols, r);
        for (int r = 0; r + 1 < SYMBOL_RANKS; r++)
            sum[r] = wm_symbol_combine(&symbols, leaf[r], leaf[r + 1], &culprit);
        for (int r = 0; r + 1 < SYMBOL_RANKS; r++) {
            CU_ASSERT_PTR_EQUAL(wm_symbol_combine(&symbols, leaf[r], leaf[r + 1], &culprit), sum[r]);
            CU_ASSERT_PTR_EQUAL(wm_symbol_combine(&symbols, leaf[r + 1], leaf[r], &culprit),
                                kind == WM_SYMBOL_INTERVAL ? NULL : sum[r]);
            CU_ASSERT(r == 0 || sum[r] != sum[r - 1]);
        }
    }
    wm_arena_release(&arena);
}

/* Sets and turned intervals, combined and moved at random, are what plain lists of ranks are. */
static void symbols__are_the_ranks_that_they_stand_for(void)
{
    static bool of[SYMBOLS][SYMBOL_RANKS];
    const struct wm_symbol *symbol[SYMBOLS] = {NULL};
    struct wm_arena arena = {0};
    struct wm_symbols symbols = {.arena = &arena, .ranks = SYMBOL_RANKS, .kind = WM_SYMBOL_SET};
    uint64_t random = 1;
    int united = 0, refused = 0, wrong = 0;

    for (int n = 0; n < SYMBOL_STEPS; n++) {
        int a = (int)((random = wm_hash_scatter(random + 1)) % SYMBOLS), b = (int)(random >> 8) & (SYMBOLS - 1);
        int by = (int)((random >> 16) % SYMBOL_RANKS), culprit = -1;
        bool both[SYMBOL_RANKS], overlap = false;
        const struct wm_symbol *sum;

        if (symbol[a] == NULL) {
            symbol[a] = wm_symbol_leaf(&symbols, by);
            memset(of[a], 0, sizeof of[a]);
            of[a][by] = true;
        }
        if (symbol[b] == NULL || a == b)
            continue;
        if (random >> 32 & 1) /* side by side: intervals come about */
            by = (symbol[a]->high + 1 - symbol[b]->low + SYMBOL_RANKS) % SYMBOL_RANKS;
        for (int r = 0; r < SYMBOL_RANKS; r++) {
            int from = (r + SYMBOL_RANKS - by) % SYMBOL_RANKS;

            both[r] = of[a][r] || of[b][from];
            overlap = overlap || (of[a][r] && of[b][from]);
        }
        sum = wm_symbol_combine(&symbols, symbol[a], wm_symbol_moved(&symbols, symbol[b], false, by), &culprit);
        wrong += (sum == NULL) != overlap || (sum != NULL && !symbol_is(sum, both));
        wrong +=
            sum == NULL && (culprit < 0 || !of[a][culprit] || !of[b][(culprit + SYMBOL_RANKS - by) % SYMBOL_RANKS]);
        united += sum != NULL;
        refused += sum == NULL;
        symbol[a] = sum;
        memcpy(of[a], both, sizeof both);
    }
    wm_arena_release(&arena);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(united > SYMBOL_STEPS / 4 && refused > SYMBOL_STEPS / 20);
}

static const struct check_case cases[] = {
    CASE(proof__passes_what_is_right),
    CASE(proof__refutes_messages_of_two_sizes),
    CASE(proof__refutes_what_leaves_a_buffer),
    CASE(proof__refutes_a_contribution_left_out),
    CASE(proof__refutes_units_that_do_not_belong_together),
    CASE(proof__refutes_a_race),
    CASE(proof__refutes_another_tree_of_combinations),
    CASE(proof__refutes_a_deadlock_and_says_who_waits_for_whom),
    CASE(proof__refutes_a_message_without_its_other_end),
    CASE(proof__refutes_a_block_in_the_place_of_another),
    CASE(proof__refutes_blocks_that_do_not_exist),
    CASE(proof__tells_what_a_path_costs),
    CASE(proof__tells_what_the_order_of_ranks_costs),
    CASE(proof__says_beforehand_what_is_too_large),
    CASE(proof__weighs_ranks_that_differ_by_all_of_them),
    CASE(proof__ends_where_there_is_no_memory),
    CASE(symbols__of_the_same_two_are_one),
    CASE(symbols__are_the_ranks_that_they_stand_for),
};

CHECK_MAIN("proof", cases)
