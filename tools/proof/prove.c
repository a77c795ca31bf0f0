/* Proof of a call: every rank's plan made and looked at, then all of them run together. */
#include "tools/proof/prove.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/proof/alike.h"
#include "tools/proof/dag.h"
#include "tools/proof/in_place.h"
#include "tools/proof/link.h"
#include "tools/proof/machine.h"
#include "tools/proof/parts.h"
#include "tools/proof/size.h"

enum {
    FULL_STEPS = 1000000, /* fewer are proven in full, */
    MANY_BLOCKS = 1000000 /* unless the ranks have more blocks */
};

enum {
    ALL_ORDERS_RANKS = 128, /* of so many, other orders are tried although one is enough */
    RUNS = 16               /* of scattered blocks that stand together */
};

/* Every wrapper on the path that takes #:order has 'rank. */
static bool path_fixes_order(const struct wm_path *path)
{
    for (int i = 0; i < path->wrapper_count; i++)
        for (int v = 0; v < path->wrappers[i].class->param_count; v++) {
            const struct wm_param *param = &path->wrappers[i].class->params[v];

            if (strcmp(param->name, "order") == 0 &&
                strcmp(param->choices[path->wrappers[i].values[v].choice], "rank") != 0)
                return false;
        }
    return true;
}

/* Units that either names, one behind the other. */
static struct wm_proof_memory unite(struct wm_arena *arena, const struct wm_proof_memory *a,
                                    const struct wm_proof_memory *b)
{
    struct wm_proof_memory both = {0};

    for (int i = 0, j = 0; i < a->count || j < b->count;) {
        bool left = j == b->count || (i < a->count && a->spans[i].low <= b->spans[j].low);
        const struct wm_proof_span *next = left ? &a->spans[i++] : &b->spans[j++];
        size_t low =
            both.count > 0 && both.spans[both.count - 1].high > next->low ? both.spans[both.count - 1].high : next->low;

        if (next->high > low)
            wm_memory_append(arena, &both, wm_span(low, next->high, low, NULL));
    }
    return both;
}

/* Of a plan that is sound. */
static void count_plan(struct wm_proof *proof, const struct wm_plan *plan)
{
    size_t temporary = 0, sent = 0, received = 0;

    for (int t = 0; t < plan->temporary_count; t++)
        temporary += plan->temporary_units[t];
    for (int s = 0; s < plan->step_count; s++) {
        const struct wm_step *step = &plan->steps[s];
        struct wm_ref first;
        int ranges;

        sent += step->kind == WM_STEP_SEND ? step->count : 0;
        received += step->kind == WM_STEP_RECV ? step->count : 0;
        if (step->kind == WM_STEP_SHARED) {
            sent += wm_part_given(&plan->shared[step->message], &ranges, &first);
            received += wm_part_gotten(&plan->shared[step->message], &ranges, &first);
        }
        proof->copied_units += step->kind == WM_STEP_COPY ? step->count : 0;
    }
    proof->steps += (size_t)plan->step_count;
    proof->temporary_units = temporary > proof->temporary_units ? temporary : proof->temporary_units;
    proof->rank_units = sent > proof->rank_units ? sent : proof->rank_units;
    proof->rank_units = received > proof->rank_units ? received : proof->rank_units;
}

/* Nothing comes to a rank twice. In a bcast or an allgather shares may come back to who had them, within the whole. */
static bool is_exact(enum wm_operation operation)
{
    enum wm_data_kind data = wm_operation_data(operation);

    return !wm_operation_combines(operation) && data != WM_DATA_WHOLE &&
           (data != WM_DATA_BLOCKS || wm_operation_rooted(operation));
}

static bool check_plan(struct wm_machine *m, int rank, const struct wm_plan_call *call, struct wm_arena *arena,
                       int race_steps_max)
{
    bool combines = wm_operation_combines(call->operation);
    struct wm_symbols symbols = {.arena = arena, .ranks = m->grid->ranks, .kind = WM_SYMBOL_INTERVAL};
    struct wm_proof_memory before[2], nothing = {0};
    struct wm_dag_rules rules = {
        .rank = wm_machine_rank(m, rank),
        .ranks = m->grid->ranks,
        .nodes = m->grid->node,
        .once = is_exact(call->operation),
        .reductions_commute = call->commutative && !m->order_fixed,
        .traced = call->traced,
        .race_steps_max = race_steps_max,
    };
    char fault[WM_ERROR_TEXT_CHARS];

    wm_cast_before(&m->cast, call, wm_machine_rank(m, rank), &symbols, arena, before);
    rules.touched[WM_BUFFER_SEND] = unite(arena, &before[WM_BUFFER_SEND], &nothing);
    rules.touched[WM_BUFFER_RECEIVE] = unite(arena, &before[WM_BUFFER_RECEIVE], &m->after[rank]);
    rules.written = combines ? rules.touched[WM_BUFFER_RECEIVE] : unite(arena, &m->after[rank], &nothing);
    if (wm_cast_receives_nothing(&m->cast, wm_machine_rank(m, rank)))
        rules.written = nothing;
    return wm_dag_check(arena, m->plans[rank], &rules, fault, sizeof fault) || wm_machine_refute(m, "%s", fault);
}

/* A native path: one native step a rank, and marks. */
static bool check_native(struct wm_machine *m, int rank)
{
    int natives = 0;

    for (int s = 0; s < m->plans[rank]->step_count; s++) {
        const struct wm_step *step = &m->plans[rank]->steps[s];

        natives += step->kind == WM_STEP_NATIVE;
        if (step->kind != WM_STEP_NATIVE && step->kind != WM_STEP_ENTER && step->kind != WM_STEP_LEAVE)
            return wm_machine_refute(m, "rank %d: step %d (%s) stands in a native plan", rank, s,
                                     wm_step_name((enum wm_step_kind)step->kind));
    }
    return natives == (m->path->wrapper_count > 0) ||
           wm_machine_refute(m, "rank %d: %d native steps in a native plan", rank, natives);
}

static bool wait_in_place(struct wm_machine *m, int rank, struct wm_arena *arena)
{
    int other, writer;

    if (!m->waits_in_place || wm_in_place_wait(m->plans[rank], arena, &other, &writer))
        return true;
    wm_machine_refute(m, "rank %d: step %d writes what step %d reads or writes, and is not seen to wait for it", rank,
                      writer, other);
    m->proof->outcome = WM_TOO_LARGE; /* several ranges of a step are taken for one: no fault, but no proof either */
    return false;
}

static bool make_plan(struct wm_machine *m, const struct wm_layout *layout, int rank, struct wm_arena *arena,
                      const struct wm_prove_options *options)
{
    int real = wm_machine_rank(m, rank);
    struct wm_plan_call call = wm_cast_call(&m->cast, real, arena);
    struct wm_proof_memory after;

    if (wm_plan_make(&m->plans[rank], m->path, layout, &call, real, &m->proof->error) < 0) {
        m->proof->outcome = WM_REFUSED;
        return false;
    }
    if (options->spoil != NULL)
        options->spoil(m->plans[rank], real);
    after = wm_cast_after(&m->cast, &call, real, arena);
    for (int i = 0; i < after.count; i++)
        wm_memory_append(m->arena, &m->after[rank], after.spans[i]);
    if (!check_plan(m, rank, &call, arena, options->race_steps_max) || (m->path->native && !check_native(m, rank)) ||
        !wait_in_place(m, rank, arena))
        return false;
    count_plan(m->proof, m->plans[rank]);
    return true;
}

static bool refuse_unlike(struct wm_machine *m, const char *why)
{
    wm_error_set(&m->proof->error, -WM_EPATH, "%.300s", why);
    m->proof->outcome = WM_TOO_LARGE;
    return false;
}

/* Is the first representative's first image like it? Most calls without the symmetry of their grid fail here, before
 * all representatives are planned. */
static bool begins_alike(struct wm_machine *m, const struct wm_prove_options *options)
{
    char why[WM_ERROR_TEXT_CHARS];

    return m->symmetry == NULL || wm_alike_begin(m, options, why) || refuse_unlike(m, why);
}

static bool make_plans(struct wm_machine *m, const struct wm_layout *layout, const struct wm_prove_options *options)
{
    size_t ranks = (size_t)m->ranks, weight = 0;
    bool made;

    m->plans = wm_arena_take(m->arena, sizeof *m->plans * ranks);
    m->after = wm_arena_take(m->arena, sizeof *m->after * ranks);
    m->results = wm_arena_take(m->arena, sizeof *m->results * ranks);
    made = wm_size_foresee(m, layout);
    for (int rank = 0; made && rank < m->ranks; rank++) {
        wm_arena_clear(&m->run_arena);
        made = make_plan(m, layout, rank, &m->run_arena, options) && wm_size_fits(m, rank, &weight) &&
               (rank > 0 || begins_alike(m, options));
    }
    return made;
}

/* What is proven of the representatives is of all ranks if these are alike. */
static bool are_alike(struct wm_machine *m, const struct wm_prove_options *options)
{
    char why[WM_ERROR_TEXT_CHARS];

    return m->symmetry == NULL || wm_alike_check(m, options, why) || refuse_unlike(m, why);
}

/* tools/proof/prove.h says why. */
static bool one_order_stands_for_all(const struct wm_machine *m, const struct wm_prove_options *options)
{
    for (int rank = 0; rank < m->ranks; rank++)
        if (m->plans[rank]->step_count > options->race_steps_max)
            return false;
    return options->one_order || m->grid->ranks > ALL_ORDERS_RANKS;
}

static void prove(struct wm_machine *m, const struct wm_layout *layout, const struct wm_prove_options *options)
{
    if (!make_plans(m, layout, options) || !are_alike(m, options) || !wm_machine_match_messages(m) ||
        !wm_machine_match_shared(m))
        return;
    m->proof->messages = (size_t)m->message_count;
    m->proof->shared_steps = (size_t)m->instance_count;
    m->proof->link_units = wm_link_units(m);
    if (m->path->native || !wm_machine_run(m, WM_LAST_READY, 0) || one_order_stands_for_all(m, options))
        return;
    if (!wm_machine_run(m, WM_FIRST_READY, 0))
        return;
    for (int i = 0; i < options->random_orders; i++)
        if (!wm_machine_run(m, WM_RANDOM, options->seed + (uint64_t)i))
            return;
}

/* What is to be proven, and how. */
struct task {
    const struct wm_path *path;
    const struct wm_grid *grid;
    const struct wm_layout *layout;
    struct wm_scenario scenario;
    const struct wm_prove_options *options;
};

/* Prove it in one way: all ranks' plans, or the representatives' of a symmetry. */
static enum wm_proof_outcome attempt(const struct task *t, struct wm_proof *proof, const struct wm_symmetry *symmetry,
                                     size_t steps_max)
{
    struct wm_arena arena = {0};
    struct wm_machine m = {.data = &wm_machine_symbols,
                           .arena = &arena,
                           .ranks = symmetry != NULL ? symmetry->step : t->grid->ranks,
                           .path = t->path,
                           .proof = proof,
                           .grid = t->grid,
                           .symmetry = symmetry,
                           .steps_max = steps_max,
                           .bytes_max = t->options->bytes_max};
    struct wm_scenario s = t->scenario;

    *proof = (struct wm_proof){.outcome = WM_PROVEN};
    m.order_fixed = path_fixes_order(t->path) && s.operation != WM_BARRIER; /* nothing is combined there */
    s.each = symmetry != NULL ? symmetry->each : s.each;
    m.waits_in_place = symmetry != NULL && wm_symmetry_space(&s, WM_BUFFER_RECEIVE, true) !=
                                               wm_symmetry_space(&s, WM_BUFFER_RECEIVE, false);
    m.cast = wm_cast_make(&s, t->path, &arena);
    prove(&m, t->layout, t->options);
    for (int rank = 0; m.plans != NULL && rank < m.ranks; rank++)
        wm_plan_free(m.plans[rank]);
    wm_arena_release(&m.event_arena);
    wm_arena_release(&m.run_arena);
    wm_arena_release(&arena);
    return proof->outcome;
}

/* The representatives' costs are those of all. */
static void tell_all(struct wm_proof *proof, const struct wm_symmetry *symmetry)
{
    size_t times = (size_t)(symmetry->ranks / symmetry->step);

    proof->steps *= times;
    proof->messages *= times;
    proof->shared_steps *= times;
    proof->copied_units *= times;
    proof->representatives = symmetry->step;
    proof->flips = symmetry->flips;
    proof->apart = symmetry->apart;
    proof->each = symmetry->each;
    proof->period = symmetry->period > 1 ? symmetry->period : 0;
}

/* The first ranks and the last, if messages alone are alike; of few ranks all. */
static int next_block(const struct wm_symmetry *s)
{
    int last = s->ranks - s->step;

    return s->ranks <= ALL_ORDERS_RANKS ? s->first + s->step : s->first < last ? last : s->ranks;
}

static enum wm_proof_outcome attempt_blocks(const struct task *t, struct wm_proof *proof, struct wm_symmetry *symmetry)
{
    int compared = 0;

    while (attempt(t, proof, symmetry, WM_PROOF_STEPS_MAX) == WM_PROVEN && symmetry->apart &&
           next_block(symmetry) < symmetry->ranks) {
        compared += proof->compared;
        symmetry->first = next_block(symmetry);
    }
    proof->compared += compared;
    if (symmetry->first > 0 && proof->outcome == WM_REFUTED)
        snprintf(proof->error.text + strlen(proof->error.text), sizeof proof->error.text - strlen(proof->error.text),
                 "; ranks whose plans are named are counted from rank %d on", symmetry->first);
    return proof->outcome;
}

/* By a group of turns, or of flips, of at least so many representatives, and fewer than have too many steps. */
static enum wm_proof_outcome attempt_group(const struct task *t, struct wm_proof *proof, bool flips, int least,
                                           int *too_many)
{
    struct task repeats = *t; /* the sizes of blocks that differ */
    struct wm_scenario *s = &repeats.scenario;
    struct wm_symmetry symmetry;

    if (!wm_symmetry_find(&symmetry, t->path, t->grid, s, flips, least) || symmetry.step >= *too_many ||
        !wm_symmetry_lay(&symmetry, t->path, t->layout))
        return WM_TOO_LARGE;
    symmetry.each = wm_symmetry_round(&symmetry, s->operation, s->each);
    if (attempt_blocks(&repeats, proof, &symmetry) != WM_TOO_LARGE)
        tell_all(proof, &symmetry);
    else if (proof->error.code == -WM_ENOMEM)
        *too_many = symmetry.step;
    return proof->outcome;
}

/* Ranks of the first node that follow each other. */
static int count_together(const struct wm_grid *grid)
{
    int together = 1;

    while (together < grid->ranks && grid->node[together] == grid->node[0])
        together++;
    return together;
}

/* Those that move ranks within their nodes, too, then those that take nodes to nodes alone. */
static enum wm_proof_outcome attempt_symmetry(const struct task *t, struct wm_proof *proof)
{
    int together = count_together(t->grid), too_many = INT_MAX;

    *proof = (struct wm_proof){.outcome = WM_TOO_LARGE};
    wm_error_set(&proof->error, -WM_ENOMEM, "the call has no symmetry");
    if (wm_operation_data(t->scenario.operation) == WM_DATA_PAIRS && t->scenario.uneven &&
        wm_operation_takes_vectors(t->scenario.operation) && !wm_cast_goes_straight(t->path))
        return proof->outcome; /* of uneven blocks that hop, all pairs would have to be listed */
    for (int way = 0; way < 4 && proof->outcome == WM_TOO_LARGE; way++)
        if (way < 2 || together > 1)
            attempt_group(t, proof, way % 2 == 1, way < 2 ? 1 : together, &too_many);
    return proof->outcome;
}

/* In full, where the blocks of all pairs do not have to be listed or have room. */
static enum wm_proof_outcome attempt_full(const struct task *t, struct wm_proof *proof, size_t steps_max)
{
    struct wm_error error;

    if (wm_cast_goes_straight(t->path) || wm_proof_fits(&t->scenario, t->grid->ranks, WM_PROOF_STEPS_MAX, &error) == 0)
        return attempt(t, proof, NULL, steps_max);
    *proof = (struct wm_proof){.outcome = WM_TOO_LARGE, .error = error};
    return proof->outcome;
}

/* Blocks that differ take fewer copies where their sizes repeat node by node and many stand together. */
static enum wm_proof_outcome attempt_repeating(const struct task *t, struct wm_proof *proof)
{
    struct task repeats = *t;
    struct wm_scenario *s = &repeats.scenario;

    s->period = count_together(t->grid);
    s->together = (s->ranks + RUNS - 1) / RUNS;
    if (!wm_operation_takes_vectors(s->operation) || !s->uneven || s->period == 1 || s->ranks % s->period != 0)
        return WM_TOO_LARGE;
    if (attempt_full(&repeats, proof, WM_PROOF_STEPS_MAX) != WM_TOO_LARGE)
        proof->period = s->period;
    return proof->outcome;
}

/* All ranks' plans take longer than representatives' proofs: each has to do with every rank. */
static bool has_many_blocks(const struct task *t)
{
    enum wm_data_kind data = wm_operation_data(t->scenario.operation);

    return (data == WM_DATA_BLOCKS || data == WM_DATA_PAIRS) &&
           (size_t)t->grid->ranks * (size_t)t->grid->ranks > MANY_BLOCKS;
}

/* What symmetry cannot prove is proven in full, if there is room; else both reasons are told. */
static void prove_best(const struct task *t, struct wm_proof *proof)
{
    struct wm_error *error = &proof->error;
    struct wm_proof symmetric;
    bool many = has_many_blocks(t);

    if (!many && attempt_full(t, proof, FULL_STEPS) != WM_TOO_LARGE)
        return;
    if (attempt_symmetry(t, &symmetric) != WM_TOO_LARGE) {
        *proof = symmetric;
        return;
    }
    if (!proof->out_of_memory && attempt_full(t, proof, WM_PROOF_STEPS_MAX) != WM_TOO_LARGE)
        return;
    if (attempt_repeating(t, proof) == WM_TOO_LARGE)
        snprintf(error->text + strlen(error->text), sizeof error->text - strlen(error->text),
                 "; by symmetry it is not proven: %.200s", symmetric.error.text);
}

static void prove_task(const struct task *t, struct wm_proof *proof)
{
    if (t->options->way == WM_PROVE_BY_SYMMETRY)
        attempt_symmetry(t, proof);
    else if (t->options->way == WM_PROVE_IN_FULL)
        attempt_full(t, proof, WM_PROOF_STEPS_MAX);
    else
        prove_best(t, proof);
}

enum wm_proof_outcome wm_prove(struct wm_proof *proof, const struct wm_path *path, const struct wm_grid *grid,
                               const struct wm_scenario *scenario, const struct wm_prove_options *options)
{
    struct task t = {.path = path, .grid = grid, .scenario = *scenario, .options = options};
    struct wm_scenario *s = &t.scenario;
    struct wm_layout *layout;

    *proof = (struct wm_proof){.outcome = WM_REFUSED};
    s->ranks = grid->ranks;
    if (s->each == 0)
        s->uneven = s->scattered = false; /* nothing is of another size, or stands elsewhere */
    s->commutative = s->commutative || !wm_operation_combines(s->operation) || s->operation == WM_BARRIER;
    if (wm_layout_new(&layout, path, grid, wm_operation_rooted(s->operation) ? s->root : -1, !s->commutative,
                      &proof->error) < 0)
        return proof->outcome;
    t.layout = layout;
    prove_task(&t, proof);
    wm_layout_free(layout);
    return proof->outcome;
}
