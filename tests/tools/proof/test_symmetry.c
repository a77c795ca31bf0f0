/* The proof by symmetry says what the full one says: of machines, paths and calls drawn by a seed, and of plans that
 * are broken on purpose. WM_SYMMETRY_SEED is another seed, WM_SYMMETRY_DRAWS another number of draws. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/check.h"
#include "tests/fixture.h"
#include "tests/tools/proof/symmetric_paths.h"
#include "tools/proof/prove.h"

enum { DRAWS = 1200, RANKS_MAX = 48, MANY_RANKS = 128, MANY_DRAWS = 128 };

/* A plan made anew from edges: one is left out, another is put in. */

struct edge {
    int from, to;
};

static void put_roots(struct wm_plan *plan)
{
    plan->root_count = 0;
    for (int wanted = 0; wanted < 3; wanted++)
        for (int s = 0; s < plan->step_count; s++) {
            int kind = plan->steps[s].kind, turn = kind == WM_STEP_SEND ? 0 : kind == WM_STEP_RECV ? 1 : 2;

            if (plan->steps[s].dependencies == 0 && turn == wanted)
                plan->roots[plan->root_count++] = s;
        }
}

/* All edges of step `cut_from` go, or, from `cut_edge` 0 on, that one. */
static void change_edges(struct wm_plan *plan, int cut_from, int cut_edge, struct edge added)
{
    int count = 0, next = 0, room = 1;
    int *successors;

    for (int s = 0; s < plan->step_count; s++)
        room += plan->steps[s].successors;
    successors = malloc(sizeof *successors * (size_t)room);
    for (int s = 0; s < plan->step_count; s++)
        plan->steps[s].dependencies = 0;
    for (int s = 0; s < plan->step_count; s++) {
        struct wm_step *step = &plan->steps[s];
        bool known = added.from != s;

        count = 0;
        for (int e = 0; e < step->successors; e++) {
            if (s == cut_from && (cut_edge < 0 || e == cut_edge))
                continue;
            known = known || plan->successors[step->first_successor + e] == added.to;
            successors[next + count++] = plan->successors[step->first_successor + e];
        }
        if (!known)
            successors[next + count++] = added.to;
        step->first_successor = next;
        step->successors = count;
        for (int e = next; e < next + count; e++)
            plan->steps[successors[e]].dependencies++;
        next += count;
    }
    free(plan->successors);
    plan->successors = successors;
    put_roots(plan);
}

/* Faults. */

enum fault { COPY, DROP, SHORTEN, SHIFT, CUT, CUT_ONE, CHAIN, SOURCES, TARGETS, PEER, STRIDE, FAULTS };

static enum fault fault;
static int fault_step, fault_other, fault_rank; /* -1: of all ranks */
static int ranks;

static void swap_refs(struct wm_plan *plan, enum wm_step_kind kind, int s, int other)
{
    struct wm_step *a = &plan->steps[s], *b = &plan->steps[other];
    struct wm_ref *from = kind == WM_STEP_SEND ? &a->source : &a->target,
                  *to = kind == WM_STEP_SEND ? &b->source : &b->target, swap = *from;

    if (a->kind != kind || b->kind != kind || a->count != b->count)
        return;
    *from = *to;
    *to = swap;
}

/* The last: a block that does not exist, and stands for the first one where that is left out of account. */
static void spoil_stride(struct wm_stride *stride, int way)
{
    if (way % 3 == 0)
        stride->distance++;
    else
        stride->first += way % 3 == 1 ? 1 : 720720;
}

static void spoil(struct wm_plan *plan, int rank)
{
    int s, other;
    struct wm_step *step;

    if (plan->step_count == 0 || (fault_rank >= 0 && rank != fault_rank))
        return;
    s = fault_step % plan->step_count;
    other = fault_other % plan->step_count;
    step = &plan->steps[s];
    if (fault == COPY && step->kind == WM_STEP_REDUCE)
        step->kind = WM_STEP_COPY;
    if (fault == DROP && (step->kind == WM_STEP_COPY || step->kind == WM_STEP_REDUCE))
        step->kind = WM_STEP_JOIN;
    if (fault == SHORTEN && step->count > 1)
        step->count--;
    if (fault == SHIFT && wm_step_reads((enum wm_step_kind)step->kind))
        step->source.offset++;
    if (fault == CUT)
        change_edges(plan, s, -1, (struct edge){-1, -1});
    if (fault == CUT_ONE && step->successors > 0)
        change_edges(plan, s, other % step->successors, (struct edge){-1, -1});
    if (fault == CHAIN && s != other)
        change_edges(plan, -1, -1, s < other ? (struct edge){s, other} : (struct edge){other, s});
    if (fault == SOURCES)
        swap_refs(plan, WM_STEP_SEND, s, other);
    if (fault == TARGETS)
        swap_refs(plan, WM_STEP_RECV, s, other);
    if (fault == STRIDE && plan->stride_count > 0)
        spoil_stride(&plan->strides[s % plan->stride_count], other);
    if (fault == PEER && step->peer >= 0)
        step->peer = (step->peer + 1) % ranks;
}

/* Draws. */

struct draw {
    char machine[64];
    int path;
    struct wm_scenario scenario;
    struct wm_grid grid;
    struct wm_path *parsed;
};

static void draw_call(struct draw *d)
{
    static const int powers[] = {2, 4, 8};
    bool even = pick(3) == 0, many = pick(MANY_DRAWS) == 0; /* one in so many is of up to 128 ranks */
    int most = many ? MANY_RANKS : RANKS_MAX, nodes = even ? powers[pick(3)] << many : 1 + pick(most / 6),
        cores = even ? powers[pick(2)] << many : 1 + pick(most / nodes);
    struct wm_error error = {0};

    ranks = nodes * cores;
    d->path = pick(SYMMETRIC_PATHS);
    snprintf(d->machine, sizeof d->machine, "node=%d,core=%d%s", nodes, cores, pick(4) == 0 ? ",order=cyclic" : "");
    d->scenario = (struct wm_scenario){.operation = symmetric_paths[d->path].operation,
                                       .each = (size_t)pick(41),
                                       .unit_bytes = 8,
                                       .commutative = true};
    d->scenario.uneven = wm_operation_takes_vectors(d->scenario.operation) && pick(3) > 0;
    d->scenario.scattered = wm_operation_takes_vectors(d->scenario.operation) && pick(4) > 0;
    d->scenario.in_place = pick(4) == 0;
    d->scenario.commutative = wm_operation_data(d->scenario.operation) != WM_DATA_BLOCKS ||
                              !wm_operation_combines(d->scenario.operation) || pick(2) == 0;
    d->scenario.traced = pick(4) == 0;
    CU_ASSERT_FATAL(fixture_grid(&d->grid, d->machine));
    d->parsed = fixture_path(symmetric_paths[d->path].wrappers, d->scenario.operation, &d->grid, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(d->parsed);
}

static void draw_release(struct draw *d)
{
    wm_path_free(d->parsed);
    wm_grid_release(&d->grid);
}

static struct wm_proof prove(const struct draw *d, const struct wm_scenario *scenario, enum wm_proof_way way,
                             void (*spoiled)(struct wm_plan *, int))
{
    struct wm_prove_options options = {
        .way = way, .random_orders = 1, .seed = 1, .race_steps_max = 600, .spoil = spoiled};
    struct wm_proof proof;

    wm_prove(&proof, d->parsed, &d->grid, scenario, &options);
    return proof;
}

/* In full, the call that was carried out. */
static struct wm_proof prove_again(struct draw *d, const struct wm_proof *symmetric,
                                   void (*spoiled)(struct wm_plan *, int))
{
    d->scenario.each = symmetric->each;
    d->scenario.period = symmetric->period;
    return prove(d, &d->scenario, WM_PROVE_IN_FULL, spoiled);
}

/* Of an operator that does not commute ranks have copies and reductions of their own. */
static bool same_figures(const struct wm_proof *a, const struct wm_proof *b, bool commutative)
{
    bool locally =
        a->steps == b->steps && a->copied_units == b->copied_units && a->temporary_units == b->temporary_units;

    return (locally || !commutative) && a->messages == b->messages && a->shared_steps == b->shared_steps &&
           a->rank_units == b->rank_units && a->rounds == b->rounds &&
           (b->link_units == 0 || a->link_units == b->link_units);
}

static void tell(const struct draw *d, const char *what, const struct wm_proof *full, const struct wm_proof *symmetric)
{
    printf("\n    %s: %s of %zu units%s%s%s on %s\n      in full: %d %s\n      by symmetry: %d %s\n", what,
           symmetric_paths[d->path].wrappers, d->scenario.each, d->scenario.uneven ? ", uneven" : "",
           d->scenario.in_place ? ", in place," : "", d->scenario.commutative ? "" : ", not commutative,", d->machine,
           full->outcome, full->error.text, symmetric->outcome, symmetric->error.text);
    CU_FAIL("another verdict");
}

static int draws(void)
{
    const char *seed = getenv("WM_SYMMETRY_SEED"), *count = getenv("WM_SYMMETRY_DRAWS");

    state = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    return count != NULL ? atoi(count) : DRAWS;
}

/* The verdict, and every figure, of the call that was carried out. */
static void symmetry__says_what_the_full_proof_says(void)
{
    int proven[SYMMETRIC_PATHS][2] = {{0}}, count = draws(), all = 0, aside = 0, over = 0, repeating = 0, apart = 0;

    for (int i = 0; i < count; i++) {
        struct draw d;
        struct wm_proof full, symmetric;

        draw_call(&d);
        symmetric = prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, NULL);
        if (symmetric.outcome != WM_TOO_LARGE) {
            full = prove_again(&d, &symmetric, NULL);
            if (full.outcome != WM_PROVEN || symmetric.outcome != WM_PROVEN ||
                !same_figures(&full, &symmetric, d.scenario.commutative))
                tell(&d, "as planned", &full, &symmetric);
            proven[d.path][d.scenario.in_place] += symmetric.outcome == WM_PROVEN;
            repeating += symmetric.period > 0;
            apart += !d.scenario.commutative;
        }
        draw_release(&d);
    }
    for (int i = 0; i < SYMMETRIC_PATHS; i++) {
        all += proven[i][0] + proven[i][1];
        aside += wm_operation_data(symmetric_paths[i].operation) == WM_DATA_PAIRS ? proven[i][1] : 0;
        over += wm_operation_data(symmetric_paths[i].operation) == WM_DATA_BLOCKS &&
                        wm_operation_combines(symmetric_paths[i].operation)
                    ? proven[i][1]
                    : 0;
    }
    CU_ASSERT(all > count / 4);
    CU_ASSERT(repeating > count / 50);
    CU_ASSERT(apart > count / 100); /* an operator that does not commute: messages alone are alike */
    CU_ASSERT(aside > count / 50);  /* blocks of pairs in place, which are put aside first */
    CU_ASSERT(over > count / 100);  /* a block that takes the place of all */
}

/* Of all ranks alike, or of one alone, which then is like no other. */
static void symmetry__finds_the_faults_that_the_full_proof_finds(void)
{
    int refuted = 0, count = draws();

    for (int i = 0; i < count; i++) {
        struct draw d;
        struct wm_proof full, symmetric;

        draw_call(&d);
        fault = (enum fault)pick(FAULTS);
        fault_step = pick(1 << 16);
        fault_other = pick(4) == 0 ? pick(1 << 16) : fault_step + 1 + pick(3);
        fault_rank = pick(3) == 0 ? pick(ranks) : -1;
        symmetric = prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, spoil);
        if (symmetric.outcome != WM_TOO_LARGE) {
            full = prove_again(&d, &symmetric, spoil);
            if (full.outcome != symmetric.outcome)
                tell(&d, "broken", &full, &symmetric);
            refuted += symmetric.outcome == WM_REFUTED;
        }
        draw_release(&d);
    }
    CU_ASSERT(refuted > count / 10);
}

/* A fault: a block that is sent has the size of one that is received, from the same rank, or in the same round of a
 * pairwise exchange. */
static bool from_the_same;

static void take_received_sizes(struct wm_plan *plan, int rank)
{
    for (int s = 0; s < plan->step_count; s++)
        for (int r = 0; r < plan->step_count && plan->steps[s].kind == WM_STEP_SEND; r++) {
            int peer = plan->steps[s].peer, source = from_the_same ? peer : (2 * rank - peer + ranks) % ranks;

            if (plan->steps[r].kind == WM_STEP_RECV && plan->steps[r].peer == source)
                plan->steps[s].count = plan->steps[r].count;
        }
}

static void symmetry__tells_sizes_sent_from_sizes_received(void)
{
    struct wm_scenario s = {
        .operation = WM_ALLTOALLV, .each = 40, .unit_bytes = 8, .commutative = true, .uneven = true};
    struct draw d = {.scenario = s};
    struct wm_error error = {0};
    int proven = 0;

    ranks = 32;
    CU_ASSERT_FATAL(fixture_grid(&d.grid, "node=4,core=8"));
    for (int i = 0; i < SYMMETRIC_PATHS; i++) {
        if (symmetric_paths[i].operation != WM_ALLTOALLV)
            continue;
        d.parsed = fixture_path(symmetric_paths[i].wrappers, WM_ALLTOALLV, &d.grid, &error);
        d.scenario.uneven = wm_cast_goes_straight(d.parsed); /* blocks that hop: even ones alone */
        proven += prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, NULL).outcome == WM_PROVEN;
        for (int same = 0; same < 2 && d.scenario.uneven; same++) {
            from_the_same = same == 1;
            CU_ASSERT(prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, take_received_sizes).outcome == WM_REFUTED);
        }
        wm_path_free(d.parsed);
    }
    CU_ASSERT(proven == 3); /* all but the path of two stages */
    wm_grid_release(&d.grid);
}

/* Each single wait of a rank is left out: what is refuted in full is not proven. */
static void leave_out_waits(struct draw *d)
{
    int refuted = 0;

    CU_ASSERT(prove(d, &d->scenario, WM_PROVE_BY_SYMMETRY, NULL).outcome == WM_PROVEN);
    for (fault_step = 0; fault_step < 64; fault_step++)
        for (fault_other = 0; fault_other < 4; fault_other++) {
            struct wm_proof full = prove(d, &d->scenario, WM_PROVE_IN_FULL, spoil);

            refuted += full.outcome == WM_REFUTED;
            if (full.outcome == WM_REFUTED)
                CU_ASSERT(prove(d, &d->scenario, WM_PROVE_BY_SYMMETRY, spoil).outcome != WM_PROVEN);
        }
    CU_ASSERT(refuted > 0);
}

/* By flat, some wait of the write to the buffer, another one at each rank, follows from its others. */
static void symmetry__misses_no_wait_of_a_call_in_place(void)
{
    static const char *const paths[] = {"[" SHAPED("reduce-scatter", "all", "ring") "]",
                                        "[" SHAPED("reduce-scatter", "all", "flat") "]"};
    struct draw d = {
        .scenario = {
            .operation = WM_REDUCE_SCATTER_BLOCK, .each = 16, .unit_bytes = 8, .commutative = true, .in_place = true}};
    struct wm_error error = {0};

    CU_ASSERT_FATAL(fixture_grid(&d.grid, "node=4,core=4"));
    fault = CUT_ONE;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (fault_rank = 0; fault_rank < 16; fault_rank += 7) { /* the first, which is carried out, and others */
            d.parsed = fixture_path(paths[i], WM_REDUCE_SCATTER_BLOCK, &d.grid, &error);
            leave_out_waits(&d);
            wm_path_free(d.parsed);
        }
    wm_grid_release(&d.grid);
}

/* Of an operator that does not commute each rank's results are its own: each single step is dropped, or moved, and each
 * single wait left out, of a rank that is not among the first ones. */
static void symmetry__finds_what_one_rank_combines_otherwise(void)
{
    static const enum fault faults[] = {DROP, SHIFT};
    struct draw d = {.scenario = {.operation = WM_REDUCE_SCATTER_BLOCK, .each = 2, .unit_bytes = 8}};
    struct wm_error error = {0};
    struct wm_proof symmetric;
    int refuted[2] = {0};

    ranks = 16;
    CU_ASSERT_FATAL(fixture_grid(&d.grid, "node=4,core=4"));
    d.parsed = fixture_path("[" SHAPED("reduce-scatter", "all", "flat") "]", WM_REDUCE_SCATTER_BLOCK, &d.grid, &error);
    for (int in_place = 0; in_place < 2; in_place++) {
        d.scenario.in_place = in_place;
        fault_rank = 4 + 7 * in_place;
        for (int f = 0; f < 2; f++)
            for (fault_step = 0; fault_step < 64; fault_step++) {
                fault = faults[f];
                if (prove(&d, &d.scenario, WM_PROVE_IN_FULL, spoil).outcome != WM_REFUTED)
                    continue;
                refuted[f]++;
                symmetric = prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, spoil);
                CU_ASSERT(symmetric.outcome == WM_REFUTED || (fault == SHIFT && symmetric.outcome == WM_TOO_LARGE));
            }
        fault = CUT_ONE;
        leave_out_waits(&d);
    }
    CU_ASSERT(refuted[0] > 16 && refuted[1] > 16);
    wm_path_free(d.parsed);
    wm_grid_release(&d.grid);
}

/* Nothing stands for a message that brings what its sender has combined. */
static void symmetry__leaves_messages_that_wait_for_results(void)
{
    struct draw d = {.scenario = {.operation = WM_REDUCE_SCATTER_BLOCK, .each = 2, .unit_bytes = 8}};
    struct wm_error error = {0};

    CU_ASSERT_FATAL(fixture_grid(&d.grid, "node=4,core=4"));
    d.parsed = fixture_path("[" SHAPED("reduce-scatter", "all", "ring") "]", WM_REDUCE_SCATTER_BLOCK, &d.grid, &error);
    CU_ASSERT(prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, NULL).outcome == WM_TOO_LARGE);
    CU_ASSERT(prove(&d, &d.scenario, WM_PROVE_IN_FULL, NULL).outcome == WM_PROVEN);
    wm_path_free(d.parsed);
    wm_grid_release(&d.grid);
}

/* At one rank that no other stands for. */
static void symmetry__looks_at_the_first_block_of_images(void)
{
    struct draw d = {.scenario = {.operation = WM_ALLTOALL, .each = 4, .unit_bytes = 8, .commutative = true}};
    struct wm_error error = {0};

    CU_ASSERT_FATAL(fixture_grid(&d.grid, "node=4,core=4"));
    d.parsed = fixture_path("[" SHAPED("alltoall", "all", "bruck") "]", WM_ALLTOALL, &d.grid, &error);
    fault_rank = 5;
    for (int in_place = 0; in_place < 2; in_place++) { /* then of a temporary, to which the buffer's blocks were put */
        d.scenario.in_place = in_place;
        fault = STRIDE;
        fault_other = 2;
        CU_ASSERT(prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, NULL).outcome == WM_PROVEN);
        for (fault_step = 0; fault_step < 4; fault_step++)
            CU_ASSERT(prove(&d, &d.scenario, WM_PROVE_BY_SYMMETRY, spoil).outcome == WM_TOO_LARGE);
        fault = CUT_ONE;
        leave_out_waits(&d);
    }
    wm_path_free(d.parsed);
    wm_grid_release(&d.grid);
}

/* In all orders, in one. */
static void compare_orders(const struct draw *d, int orders, int *refuted)
{
    struct wm_prove_options options = {
        .way = WM_PROVE_IN_FULL, .random_orders = orders, .seed = 1, .race_steps_max = 600, .spoil = spoil};
    struct wm_proof all, one;

    wm_prove(&all, d->parsed, &d->grid, &d->scenario, &options);
    options.one_order = true;
    wm_prove(&one, d->parsed, &d->grid, &d->scenario, &options);
    if (all.outcome != one.outcome || (all.outcome == WM_PROVEN && !same_figures(&all, &one, true)))
        tell(d, "in all orders, in one", &all, &one);
    *refuted += all.outcome == WM_REFUTED;
}

static void one_order__finds_the_faults_that_all_find(void)
{
    int refuted = 0, count = draws() / 4;

    for (int i = 0; i < count; i++) {
        struct draw d;

        draw_call(&d);
        d.scenario.commutative = pick(3) > 0;
        fault = (enum fault)pick(FAULTS);
        fault_step = pick(1 << 16);
        fault_other = pick(1 << 16);
        fault_rank = pick(2) == 0 ? pick(ranks) : -1;
        compare_orders(&d, 8, &refuted);
        draw_release(&d);
    }
    CU_ASSERT(refuted > count / 10);
}

/* Each single wait of a rank is left out, each single step is dropped, or its range moved. */
static void one_order__misses_no_single_fault(void)
{
    static const enum fault faults[] = {CUT_ONE, DROP, SHIFT};
    int refuted[3] = {0};
    struct draw d = {.scenario = {.operation = WM_ALLREDUCE, .each = 24, .unit_bytes = 8}};
    struct wm_error error = {0};

    CU_ASSERT_FATAL(fixture_grid(&d.grid, "node=2,core=3"));
    ranks = 6;
    for (int path = 0; path < SYMMETRIC_PATHS; path++) {
        if (symmetric_paths[path].operation != WM_ALLREDUCE)
            continue;
        d.parsed = fixture_path(symmetric_paths[path].wrappers, WM_ALLREDUCE, &d.grid, &error);
        d.path = path;
        d.scenario.commutative = !d.scenario.commutative;
        fault_rank = path % ranks;
        for (int f = 0; f < 3; f++)
            for (fault_step = 0; fault_step < 48; fault_step++)
                for (fault_other = 0; fault_other < (faults[f] == CUT_ONE ? 4 : 1); fault_other++) {
                    fault = faults[f];
                    compare_orders(&d, 4, &refuted[f]);
                }
        wm_path_free(d.parsed);
    }
    for (int f = 0; f < 3; f++)
        CU_ASSERT(refuted[f] > 0);
    wm_grid_release(&d.grid);
}

static const struct check_case cases[] = {
    CASE(one_order__finds_the_faults_that_all_find),
    CASE(one_order__misses_no_single_fault),
    CASE(symmetry__misses_no_wait_of_a_call_in_place),
    CASE(symmetry__finds_what_one_rank_combines_otherwise),
    CASE(symmetry__leaves_messages_that_wait_for_results),
    CASE(symmetry__looks_at_the_first_block_of_images),
    CASE(symmetry__tells_sizes_sent_from_sizes_received),
    CASE(symmetry__says_what_the_full_proof_says),
    CASE(symmetry__finds_the_faults_that_the_full_proof_finds),
};

CHECK_MAIN("symmetry", cases)
