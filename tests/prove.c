/* All ranks' plans carried out together on symbols: rendezvous, adversarial orders, and the result checked. */
#include "tests/prove.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/dag.h"
#include "tests/symbolic.h"

/* A step of a rank. */
struct at {
    int rank, step;
};

struct message {
    struct at send, recv;
    uint32_t number;
    int posted; /* ends */
};

/* What may happen next: a ready step runs or is posted, or (rank -1) message number `step` passes. */
struct pool {
    struct at *events;
    int head, tail;
};

enum order { FIRST_READY, LAST_READY, RANDOM };

struct machine {
    struct arena *arena;
    const struct wm_grid *grid;
    const struct wm_path *path;
    struct wm_plan_call call;
    struct wm_proof *proof;
    struct wm_plan **plans; /* by rank */
    int *first;             /* first[rank]: number of its first step among all; first[ranks]: how many there are */
    int message_count;
    struct message *messages;
    int *message_of; /* by number of the step */
    bool order_fixed;
    uint64_t *expressions; /* of the result's units at the first rank that has it, in the first order */

    /* one run */
    struct arena run_arena;
    struct symbols symbols;
    struct memory **memories; /* [rank][buffer] */
    int *waits;               /* by number of the step; -1: done */
    struct pool pool;
    uint64_t random;
};

static bool refute(struct machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refute(struct machine *m, const char *format, ...)
{
    char text[WM_ERROR_TEXT_CHARS];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wm_error_set(&m->proof->error, -WM_EPATH, "%s", text);
    m->proof->outcome = WM_REFUTED;
    return false;
}

static const struct wm_step *step_at(const struct machine *m, struct at at)
{
    return &m->plans[at.rank]->steps[at.step];
}

static const char *name_at(const struct machine *m, struct at at)
{
    return wm_step_name((enum wm_step_kind)step_at(m, at)->kind);
}

static struct wm_plan_call call_of(const struct machine *m, int rank)
{
    struct wm_plan_call call = m->call;

    call.in_place = call.in_place && (wm_operation_flow(call.operation) != WM_FLOW_UP || rank == call.root);
    return call;
}

/* This rank's receive buffer ends with the result. */
static bool has_result(const struct machine *m, int rank)
{
    return wm_operation_flow(m->call.operation) != WM_FLOW_UP || rank == m->call.root;
}

static bool begins_in_receive(const struct machine *m, int rank)
{
    return m->call.operation == WM_BCAST || call_of(m, rank).in_place;
}

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

/* Plans. */

static bool make_plans(struct machine *m)
{
    struct wm_layout *layout;
    int ranks = m->grid->ranks, rc;

    m->plans = arena_take(m->arena, sizeof *m->plans * (size_t)ranks);
    m->first = arena_take(m->arena, sizeof *m->first * ((size_t)ranks + 1));
    rc = wm_layout_new(&layout, m->path, m->grid, m->call.root, !m->call.commutative, &m->proof->error);
    for (int rank = 0; rc == 0 && rank < ranks; rank++) {
        struct wm_plan_call call = call_of(m, rank);

        rc = wm_plan_make(&m->plans[rank], m->path, layout, &call, rank, &m->proof->error);
        if (rc == 0)
            m->first[rank + 1] = m->first[rank] + m->plans[rank]->step_count;
    }
    wm_layout_free(layout);
    if (rc < 0)
        m->proof->outcome = WM_REFUSED;
    return rc == 0;
}

static bool check_plan(struct machine *m, int rank, int race_steps_max)
{
    struct dag_rules rules = {
        .rank = rank,
        .ranks = m->grid->ranks,
        .send_units = begins_in_receive(m, rank) ? 0 : m->call.count,
        .receive_units = has_result(m, rank) ? m->call.count : 0,
        .reductions_commute = m->call.commutative && !m->order_fixed,
        .traced = m->call.traced,
        .race_steps_max = race_steps_max,
    };
    const struct wm_plan *plan = m->plans[rank];
    size_t units = 0;
    char fault[WM_ERROR_TEXT_CHARS];

    for (int t = 0; t < plan->temporary_count; t++)
        units += plan->temporary_units[t];
    if (units > m->proof->temporary_units)
        m->proof->temporary_units = units;
    return dag_check(m->arena, plan, &rules, fault, sizeof fault) || refute(m, "%s", fault);
}

/* A native path: one native step a rank, and marks. */
static bool check_native(struct machine *m, int rank)
{
    int natives = 0;

    for (int s = 0; s < m->plans[rank]->step_count; s++) {
        const struct wm_step *step = &m->plans[rank]->steps[s];

        natives += step->kind == WM_STEP_NATIVE;
        if (step->kind != WM_STEP_NATIVE && step->kind != WM_STEP_ENTER && step->kind != WM_STEP_LEAVE)
            return refute(m, "rank %d: step %d (%s) stands in a native plan", rank, s, wm_step_name(step->kind));
    }
    return natives == (m->path->wrapper_count > 0) ||
           refute(m, "rank %d: %d native steps in a native plan", rank, natives);
}

/* Messages. */

struct end {
    int from, to;
    uint32_t number;
    bool receives;
    struct at at;
};

static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;

    if (a->from != b->from)
        return a->from - b->from;
    if (a->to != b->to)
        return a->to - b->to;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->receives - b->receives;
}

static int list_ends(const struct machine *m, struct end *ends)
{
    int count = 0;

    for (int rank = 0; rank < m->grid->ranks; rank++)
        for (int s = 0; s < m->plans[rank]->step_count; s++) {
            const struct wm_step *step = &m->plans[rank]->steps[s];
            bool receives = step->kind == WM_STEP_RECV;

            if (step->kind == WM_STEP_SEND || receives)
                ends[count++] = (struct end){
                    receives ? step->peer : rank, receives ? rank : step->peer, step->message, receives, {rank, s}};
        }
    return count;
}

static bool pair_ends(struct machine *m, const struct end *send, const struct end *recv)
{
    size_t sent = step_at(m, send->at)->count, received = step_at(m, recv->at)->count;

    if (sent != received)
        return refute(m, "rank %d sends %zu units to rank %d as message %u, but rank %d receives %zu", send->from, sent,
                      send->to, send->number, send->to, received);
    m->message_of[m->first[send->at.rank] + send->at.step] = m->message_count;
    m->message_of[m->first[recv->at.rank] + recv->at.step] = m->message_count;
    m->messages[m->message_count++] = (struct message){send->at, recv->at, send->number, 0};
    return true;
}

static bool pair_messages(struct machine *m)
{
    int steps = m->first[m->grid->ranks], count;
    struct end *ends = arena_take(m->arena, sizeof *ends * (size_t)steps);

    m->messages = arena_take(m->arena, sizeof *m->messages * (size_t)steps);
    m->message_of = arena_take(m->arena, sizeof *m->message_of * (size_t)steps);
    count = list_ends(m, ends);
    qsort(ends, (size_t)count, sizeof *ends, compare_ends);
    for (int i = 0; i < count; i += 2) {
        const struct end *a = &ends[i], *b = &ends[i + 1];

        if (i + 1 == count || a->from != b->from || a->to != b->to || a->number != b->number || a->receives)
            return refute(m, "message %u from rank %d to rank %d is only %s", a->number, a->from, a->to,
                          a->receives ? "received" : "sent");
        if (!pair_ends(m, a, b))
            return false;
    }
    return true;
}

/* A run. */

static void add_event(struct machine *m, int rank, int step)
{
    m->pool.events[m->pool.tail++] = (struct at){rank, step};
}

static uint64_t next_random(struct machine *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return m->random;
}

static struct at take_event(struct machine *m, enum order order)
{
    struct pool *pool = &m->pool;
    int pick;
    struct at taken;

    if (order == LAST_READY)
        return pool->events[--pool->tail];
    pick = pool->head + (order == RANDOM ? (int)(next_random(m) % (uint64_t)(pool->tail - pool->head)) : 0);
    taken = pool->events[pick];
    pool->events[pick] = pool->events[pool->head++];
    return taken;
}

static struct memory *memory_of(const struct machine *m, int rank, int buffer)
{
    return &m->memories[rank][buffer];
}

static void begin_rank(struct machine *m, int rank)
{
    const struct wm_plan *plan = m->plans[rank];
    struct span span = {0, m->call.count, 0, symbol_leaf(&m->symbols, rank)};
    struct memory own = {&span, m->call.count > 0, 1};

    m->memories[rank] =
        arena_take(&m->run_arena, sizeof **m->memories * (size_t)(WM_BUFFER_TEMPORARY + plan->temporary_count));
    if (m->call.operation != WM_BCAST || rank == m->call.root)
        memory_write(&m->run_arena, memory_of(m, rank, begins_in_receive(m, rank) ? WM_BUFFER_RECEIVE : WM_BUFFER_SEND),
                     0, m->call.count, &own);
    for (int s = 0; s < plan->step_count; s++)
        m->waits[m->first[rank] + s] = plan->steps[s].dependencies;
    for (int r = 0; r < plan->root_count; r++)
        add_event(m, rank, plan->roots[r]);
}

static void begin_run(struct machine *m, uint64_t seed)
{
    size_t steps = (size_t)m->first[m->grid->ranks], ranks = (size_t)m->grid->ranks;

    arena_clear(&m->run_arena);
    m->symbols = (struct symbols){&m->run_arena, m->grid->ranks, m->call.commutative || m->call.operation == WM_BCAST};
    m->memories = arena_take(&m->run_arena, sizeof *m->memories * ranks);
    m->waits = arena_take(&m->run_arena, sizeof *m->waits * steps);
    m->pool =
        (struct pool){arena_take(&m->run_arena, sizeof *m->pool.events * (steps + (size_t)m->message_count)), 0, 0};
    m->random = seed * 2 + 1;
    for (int i = 0; i < m->message_count; i++)
        m->messages[i].posted = 0;
    for (int rank = 0; rank < m->grid->ranks; rank++)
        begin_rank(m, rank);
}

/* The step is done: whoever waited for it alone is ready. */
static void finish(struct machine *m, struct at at)
{
    const struct wm_step *step = step_at(m, at);

    m->waits[m->first[at.rank] + at.step] = -1;
    for (int e = 0; e < step->successors; e++) {
        int next = m->plans[at.rank]->successors[step->first_successor + e];

        if (--m->waits[m->first[at.rank] + next] == 0)
            add_event(m, at.rank, next);
    }
}

static bool read_units(struct machine *m, struct at at, struct wm_ref ref, struct memory *out)
{
    char name[DAG_NAME_CHARS];
    size_t gap;

    return memory_read(&m->run_arena, memory_of(m, at.rank, ref.buffer), ref.offset, step_at(m, at)->count, out,
                       &gap) ||
           refute(m, "rank %d: step %d (%s) reads unit %zu of %s, which nothing has written", at.rank, at.step,
                  name_at(m, at), gap, dag_buffer_name(ref.buffer, name));
}

static void write_units(struct machine *m, struct at at, size_t from, const struct wm_step *step,
                        struct memory *content)
{
    memory_shift(content, from, step->target.offset);
    memory_write(&m->run_arena, memory_of(m, at.rank, step->target.buffer), step->target.offset, step->count, content);
}

static bool combine_spans(struct machine *m, struct at at, const struct span *left, struct span *right)
{
    const struct symbol *both;
    int culprit = 0;

    if (left->origin != right->origin)
        return refute(m, "rank %d: step %d reduces unit %zu of the call's data with unit %zu", at.rank, at.step,
                      left->origin, right->origin);
    both = symbol_combine(&m->symbols, left->symbol, right->symbol, &culprit);
    if (both == NULL && m->symbols.commutative)
        return refute(m, "rank %d: step %d reduces the contribution of rank %d twice", at.rank, at.step, culprit);
    if (both == NULL)
        return refute(m, "rank %d: step %d reduces ranks %d to %d with ranks %d to %d, which breaks the order", at.rank,
                      at.step, left->symbol->low, left->symbol->high, right->symbol->low, right->symbol->high);
    right->symbol = both;
    return true;
}

/* target = source op target: walk both, cut where either is cut. */
static bool reduce_units(struct machine *m, struct at at)
{
    const struct wm_step *step = step_at(m, at);
    struct memory source, target, result = {0};

    if (!read_units(m, at, step->source, &source) || !read_units(m, at, step->target, &target))
        return false;
    memory_shift(&source, step->source.offset, step->target.offset);
    result.spans = arena_take(&m->run_arena, sizeof *result.spans * (size_t)(source.count + target.count));
    for (int i = 0, j = 0; i < source.count && j < target.count;) {
        struct span left = source.spans[i], right = target.spans[j];
        size_t low = left.low > right.low ? left.low : right.low,
               high = left.high < right.high ? left.high : right.high;

        left.origin += low - left.low;
        right.origin += low - right.low;
        right.low = low;
        right.high = high;
        if (!combine_spans(m, at, &left, &right))
            return false;
        result.spans[result.count++] = right;
        i += left.high == high;
        j += target.spans[j].high == high;
    }
    result.room = result.count;
    write_units(m, at, step->target.offset, step, &result);
    return true;
}

static bool copy_units(struct machine *m, struct at at)
{
    const struct wm_step *step = step_at(m, at);
    struct memory content;

    if (!read_units(m, at, step->source, &content))
        return false;
    write_units(m, at, step->source.offset, step, &content);
    return true;
}

static void post(struct machine *m, struct at at)
{
    const struct wm_step *step = step_at(m, at);
    int message = m->message_of[m->first[at.rank] + at.step];

    if (step->kind == WM_STEP_RECV)
        memory_write(&m->run_arena, memory_of(m, at.rank, step->target.buffer), step->target.offset, step->count,
                     &(struct memory){0});
    if (++m->messages[message].posted == 2)
        add_event(m, -1, message);
}

static bool pass_message(struct machine *m, const struct message *message)
{
    struct memory content;

    if (!read_units(m, message->send, step_at(m, message->send)->source, &content))
        return false;
    write_units(m, message->recv, step_at(m, message->send)->source.offset, step_at(m, message->recv), &content);
    finish(m, message->send);
    finish(m, message->recv);
    return true;
}

static bool run_event(struct machine *m, struct at event)
{
    if (event.rank < 0)
        return pass_message(m, &m->messages[event.step]);
    switch (step_at(m, event)->kind) {
    case WM_STEP_SEND:
    case WM_STEP_RECV:
        post(m, event);
        return true;
    case WM_STEP_REDUCE:
        if (!reduce_units(m, event))
            return false;
        break;
    case WM_STEP_COPY:
        if (!copy_units(m, event))
            return false;
        break;
    default:
        break;
    }
    finish(m, event);
    return true;
}

/* Deadlock: follow one step that waits to what it waits for, until the circle closes. */

static struct at find_unfinished(const struct machine *m)
{
    for (int rank = 0; rank < m->grid->ranks; rank++)
        for (int s = 0; s < m->plans[rank]->step_count; s++)
            if (m->waits[m->first[rank] + s] >= 0)
                return (struct at){rank, s};
    return (struct at){-1, -1};
}

/* A step that `at` depends on and that is not done. */
static struct at unfinished_before(const struct machine *m, struct at at)
{
    const struct wm_plan *plan = m->plans[at.rank];

    for (int s = 0; s < at.step; s++)
        for (int e = 0; m->waits[m->first[at.rank] + s] >= 0 && e < plan->steps[s].successors; e++)
            if (plan->successors[plan->steps[s].first_successor + e] == at.step)
                return (struct at){at.rank, s};
    return at;
}

static bool refute_deadlock(struct machine *m, struct at at)
{
    char text[WM_ERROR_TEXT_CHARS / 2] = "";

    struct at start = {-1, -1};

    for (int hop = 0; hop < 8; hop++) {
        const struct message *message;

        while (m->waits[m->first[at.rank] + at.step] > 0)
            at = unfinished_before(m, at);
        if (at.rank == start.rank && at.step == start.step)
            break;
        start = hop == 0 ? at : start;
        message = &m->messages[m->message_of[m->first[at.rank] + at.step]];
        snprintf(text + strlen(text), sizeof text - strlen(text), "%srank %d (step %d) %s rank %d", hop > 0 ? "; " : "",
                 at.rank, at.step, step_at(m, at)->kind == WM_STEP_SEND ? "sends to" : "receives from",
                 step_at(m, at)->peer);
        at = message->send.rank == at.rank && message->send.step == at.step ? message->recv : message->send;
    }
    return refute(m, "deadlock: %s", text);
}

/* The result. */

static bool check_span(struct machine *m, int rank, const struct span *span)
{
    int missing = m->call.operation == WM_BCAST ? -1 : symbol_missing(&m->symbols, span->symbol);

    if (span->origin != span->low)
        return refute(m, "rank %d ends with unit %zu of the data in unit %zu", rank, span->origin, span->low);
    if (missing >= 0)
        return refute(m, "rank %d ends without the contribution of rank %d in unit %zu", rank, missing, span->low);
    if (m->call.operation == WM_BCAST && (span->symbol->low != m->call.root || span->symbol->count != 1))
        return refute(m, "rank %d ends with other data than the root's in unit %zu", rank, span->low);
    for (size_t unit = span->low; m->order_fixed && unit < span->high; unit++) {
        if (m->expressions[unit] == 0)
            m->expressions[unit] = span->symbol->expression;
        if (m->expressions[unit] != span->symbol->expression)
            return refute(m,
                          "rank %d: unit %zu is combined otherwise than before, or than at another rank, though the "
                          "order is fixed",
                          rank, unit);
    }
    return true;
}

static bool check_result(struct machine *m, int rank)
{
    struct memory result;
    size_t gap;

    if (!has_result(m, rank))
        return true;
    if (!memory_read(&m->run_arena, memory_of(m, rank, WM_BUFFER_RECEIVE), 0, m->call.count, &result, &gap))
        return refute(m, "rank %d ends without a result in unit %zu", rank, gap);
    for (int i = 0; i < result.count; i++)
        if (!check_span(m, rank, &result.spans[i]))
            return false;
    return true;
}

static bool run(struct machine *m, enum order order, uint64_t seed)
{
    struct at left;

    begin_run(m, seed);
    while (m->pool.head < m->pool.tail)
        if (!run_event(m, take_event(m, order)))
            return false;
    left = find_unfinished(m);
    if (left.rank >= 0)
        return refute_deadlock(m, left);
    for (int rank = 0; rank < m->grid->ranks; rank++)
        if (!check_result(m, rank))
            return false;
    return true;
}

static bool check_plans(struct machine *m, const struct wm_prove_options *options)
{
    for (int rank = 0; rank < m->grid->ranks; rank++)
        if (!check_plan(m, rank, options->race_steps_max) || (m->path->native && !check_native(m, rank)))
            return false;
    return true;
}

static void prove(struct machine *m, const struct wm_prove_options *options)
{
    if (!make_plans(m) || !check_plans(m, options) || !pair_messages(m))
        return;
    m->proof->steps = (size_t)m->first[m->grid->ranks];
    m->proof->messages = (size_t)m->message_count;
    if (m->path->native || !run(m, FIRST_READY, 0) || !run(m, LAST_READY, 0))
        return;
    for (int i = 0; i < options->random_orders; i++)
        if (!run(m, RANDOM, options->seed + (uint64_t)i))
            return;
}

enum wm_proof_outcome wm_prove(struct wm_proof *proof, const struct wm_path *path, const struct wm_grid *grid,
                               const struct wm_plan_call *call, const struct wm_prove_options *options)
{
    struct arena arena = {0};
    struct machine m = {.arena = &arena, .grid = grid, .path = path, .call = *call, .proof = proof};

    *proof = (struct wm_proof){.outcome = WM_PROVEN};
    if (call->operation == WM_BARRIER) {
        m.call.count = 1;
        m.call.unit_bytes = 0;
    }
    m.order_fixed = path_fixes_order(path);
    m.expressions = arena_take(&arena, sizeof *m.expressions * (m.call.count + 1));
    prove(&m, options);
    for (int rank = 0; m.plans != NULL && rank < grid->ranks; rank++)
        wm_plan_free(m.plans[rank]);
    arena_release(&m.run_arena);
    arena_release(&arena);
    return proof->outcome;
}
