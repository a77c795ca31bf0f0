/* All ranks' plans carried out together on symbols: rendezvous, and adversarial orders. */
#include "tools/proof/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include "tools/proof/dag.h"

bool wm_machine_refute(struct wm_machine *m, const char *format, ...)
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

const struct wm_step *wm_machine_step(const struct wm_machine *m, struct wm_at at)
{
    return &m->plans[at.rank]->steps[at.step];
}

const struct wm_shared *wm_machine_shared(const struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);

    return step->kind == WM_STEP_SHARED ? &m->plans[at.rank]->shared[step->message] : NULL;
}

int wm_machine_line(const struct wm_machine *m, struct wm_at at)
{
    int node = wm_machine_step(m, at)->node;

    for (int i = 0; i < m->path->wrapper_count; i++)
        if (m->path->wrappers[i].node == node)
            return m->path->wrappers[i].line;
    return 0;
}

const struct wm_transport *wm_machine_transport(const struct wm_machine *m, struct wm_at at)
{
    static const struct wm_transport usual;
    const struct wm_plan *plan = m->plans[at.rank];

    return plan->transport_count > 0 ? &plan->transports[wm_machine_step(m, at)->transport] : &usual;
}

static const char *name_at(const struct wm_machine *m, struct wm_at at)
{
    return wm_step_name((enum wm_step_kind)wm_machine_step(m, at)->kind);
}

static size_t number_of(const struct wm_machine *m, struct wm_at at)
{
    return m->first[at.rank] + (size_t)at.step;
}

void wm_machine_add_event(struct wm_machine *m, int rank, int step)
{
    m->ready.events[m->ready.tail++] = (struct wm_at){rank, step};
}

static uint64_t next_random(struct wm_machine *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return m->random;
}

static struct wm_at take_event(struct wm_machine *m, enum wm_ready_order order)
{
    struct wm_ready *ready = &m->ready;
    size_t pick;
    struct wm_at taken;

    if (order == WM_LAST_READY)
        return ready->events[--ready->tail];
    pick = ready->head + (order == WM_RANDOM ? (size_t)(next_random(m) % (ready->tail - ready->head)) : 0);
    taken = ready->events[pick];
    ready->events[pick] = ready->events[ready->head++];
    return taken;
}

static struct wm_proof_memory *memory_of(const struct wm_machine *m, int rank, int buffer)
{
    return &m->memories[rank][buffer];
}

static void begin_rank(struct wm_machine *m, int rank)
{
    const struct wm_plan *plan = m->plans[rank];
    struct wm_plan_call call = wm_cast_call(&m->cast, rank, &m->run_arena);

    m->memories[rank] =
        wm_arena_take(&m->run_arena, sizeof **m->memories * (size_t)(WM_BUFFER_TEMPORARY + plan->temporary_count));
    wm_cast_before(&m->cast, &call, rank, &m->symbols, &m->run_arena, m->memories[rank]);
    for (int s = 0; s < plan->step_count; s++)
        m->waits[m->first[rank] + (size_t)s] = plan->steps[s].dependencies;
}

static void begin_roots(struct wm_machine *m, int rank)
{
    const struct wm_plan *plan = m->plans[rank];

    for (int r = 0; r < plan->root_count; r++)
        if (m->waits[m->first[rank] + (size_t)plan->roots[r]] == 0)
            wm_machine_add_event(m, rank, plan->roots[r]);
}

/* What the window holds back waits for one step more. */
static void begin_gathering(struct wm_machine *m, struct wm_gathering *gathering)
{
    gathering->posted = 0;
    for (int i = 0; i < gathering->size; i++)
        if (gathering->held[i] > 0)
            m->waits[m->first[gathering->members[i].rank] + (size_t)gathering->held[i]]++;
}

static void begin_run(struct wm_machine *m, uint64_t seed)
{
    size_t steps = m->first[m->grid->ranks], ranks = (size_t)m->grid->ranks;
    const struct wm_scenario *s = &m->cast.scenario;

    wm_arena_clear(&m->run_arena);
    m->symbols = (struct wm_symbols){&m->run_arena, m->grid->ranks,
                                     s->operation == WM_BARRIER ? WM_SYMBOL_UNION
                                     : s->commutative           ? WM_SYMBOL_SET
                                                                : WM_SYMBOL_INTERVAL};
    m->memories = wm_arena_take(&m->run_arena, sizeof *m->memories * ranks);
    m->waits = wm_arena_take(&m->run_arena, sizeof *m->waits * steps);
    m->rounds = wm_arena_take(&m->run_arena, sizeof *m->rounds * steps);
    m->ready =
        (struct wm_ready){wm_arena_take(&m->run_arena, sizeof *m->ready.events * (steps + (size_t)m->message_count +
                                                                                  (size_t)m->gathering_count)),
                          0, 0};
    m->random = seed * 2 + 1;
    for (int i = 0; i < m->message_count; i++)
        m->messages[i].posted = 0;
    for (int rank = 0; rank < m->grid->ranks; rank++)
        begin_rank(m, rank);
    for (int i = 0; i < m->gathering_count; i++)
        begin_gathering(m, &m->gatherings[i]);
    for (int rank = 0; rank < m->grid->ranks; rank++)
        begin_roots(m, rank);
}

void wm_machine_release_step(struct wm_machine *m, struct wm_at at)
{
    if (--m->waits[number_of(m, at)] == 0)
        wm_machine_add_event(m, at.rank, at.step);
}

/* The step is done: whoever waited for it alone is ready. */
void wm_machine_finish(struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);
    int round = m->rounds[number_of(m, at)];

    m->waits[number_of(m, at)] = -1;
    for (int e = 0; e < step->successors; e++) {
        int next = m->plans[at.rank]->successors[step->first_successor + e];
        size_t number = m->first[at.rank] + (size_t)next;

        if (m->rounds[number] < round)
            m->rounds[number] = round;
        wm_machine_release_step(m, (struct wm_at){at.rank, next});
    }
}

bool wm_machine_read(struct wm_machine *m, struct wm_at at, struct wm_ref ref, size_t count,
                     struct wm_proof_memory *out)
{
    char name[WM_DAG_NAME_CHARS];
    size_t gap;

    return wm_memory_read(&m->run_arena, memory_of(m, at.rank, ref.buffer), ref.offset, count, out, &gap) ||
           wm_machine_refute(m, "rank %d: step %d (%s) reads unit %zu of %s, which nothing has written", at.rank,
                             at.step, name_at(m, at), gap, wm_dag_buffer_name(ref.buffer, name));
}

void wm_machine_write(struct wm_machine *m, int rank, struct wm_ref ref, size_t count, size_t from,
                      struct wm_proof_memory *content)
{
    wm_memory_shift(content, from, ref.offset);
    wm_memory_write(&m->run_arena, memory_of(m, rank, ref.buffer), ref.offset, count, content);
}

static bool combine_spans(struct wm_machine *m, struct wm_at at, const struct wm_proof_span *left,
                          struct wm_proof_span *right)
{
    const struct wm_symbol *both;
    int culprit = 0;

    if (left->symbol == NULL || right->symbol == NULL)
        return wm_machine_refute(m, "rank %d: step %d reduces what is only to be moved", at.rank, at.step);
    if (left->origin != right->origin)
        return wm_machine_refute(m, "rank %d: step %d reduces unit %zu of the call's data with unit %zu", at.rank,
                                 at.step, left->origin, right->origin);
    both = wm_symbol_combine(&m->symbols, left->symbol, right->symbol, &culprit);
    if (both == NULL && m->symbols.kind != WM_SYMBOL_INTERVAL)
        return wm_machine_refute(m, "rank %d: step %d reduces the contribution of rank %d twice", at.rank, at.step,
                                 culprit);
    if (both == NULL)
        return wm_machine_refute(
            m, "rank %d: step %d reduces ranks %d to %d with ranks %d to %d, which breaks the order", at.rank, at.step,
            left->symbol->low, left->symbol->high, right->symbol->low, right->symbol->high);
    right->symbol = both;
    return true;
}

/* Walk both, cut where either is cut. */
bool wm_machine_combine(struct wm_machine *m, struct wm_at at, const struct wm_proof_memory *lefts,
                        const struct wm_proof_memory *rights, struct wm_proof_memory *out)
{
    *out = (struct wm_proof_memory){0};
    for (int i = 0, j = 0; i < lefts->count && j < rights->count;) {
        struct wm_proof_span left = lefts->spans[i], right = rights->spans[j];
        size_t low = left.low > right.low ? left.low : right.low,
               high = left.high < right.high ? left.high : right.high;

        left.origin += low - left.low;
        right.origin += low - right.low;
        right.low = low;
        right.high = high;
        if (!combine_spans(m, at, &left, &right))
            return false;
        wm_memory_append(&m->run_arena, out, right);
        i += left.high == high;
        j += rights->spans[j].high == high;
    }
    return true;
}

static bool read_source(struct wm_machine *m, struct wm_at at, struct wm_proof_memory *out)
{
    const struct wm_step *step = wm_machine_step(m, at);

    return wm_machine_read(m, at, step->source, step->count, out);
}

static void write_target(struct wm_machine *m, struct wm_at at, size_t from, struct wm_proof_memory *content)
{
    const struct wm_step *step = wm_machine_step(m, at);

    wm_machine_write(m, at.rank, step->target, step->count, from, content);
}

/* target = source op target */
static bool reduce_units(struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);
    struct wm_proof_memory source, target, result;

    if (!read_source(m, at, &source) || !wm_machine_read(m, at, step->target, step->count, &target))
        return false;
    wm_memory_shift(&source, step->source.offset, step->target.offset);
    if (!wm_machine_combine(m, at, &source, &target, &result))
        return false;
    write_target(m, at, step->target.offset, &result);
    return true;
}

static bool copy_units(struct wm_machine *m, struct wm_at at)
{
    struct wm_proof_memory content;

    if (!read_source(m, at, &content))
        return false;
    write_target(m, at, wm_machine_step(m, at)->source.offset, &content);
    return true;
}

static void post(struct wm_machine *m, struct wm_at at)
{
    const struct wm_step *step = wm_machine_step(m, at);
    int message = m->message_of[number_of(m, at)];

    if (step->kind == WM_STEP_RECV)
        wm_memory_write(&m->run_arena, memory_of(m, at.rank, step->target.buffer), step->target.offset, step->count,
                        &(struct wm_proof_memory){0});
    if (++m->messages[message].posted == 2)
        wm_machine_add_event(m, WM_EVENT_MESSAGE, message);
}

static bool pass_message(struct wm_machine *m, const struct wm_meeting *message)
{
    const struct wm_step *send = wm_machine_step(m, message->send);
    int *sent = &m->rounds[number_of(m, message->send)], *received = &m->rounds[number_of(m, message->recv)];
    struct wm_proof_memory content;

    if (!read_source(m, message->send, &content))
        return false;
    write_target(m, message->recv, send->source.offset, &content);
    *sent = *received = (*sent > *received ? *sent : *received) + 1;
    if (*sent > m->proof->rounds)
        m->proof->rounds = *sent;
    wm_machine_finish(m, message->send);
    wm_machine_finish(m, message->recv);
    return true;
}

static bool run_event(struct wm_machine *m, struct wm_at event)
{
    if (event.rank == WM_EVENT_MESSAGE)
        return pass_message(m, &m->messages[event.step]);
    if (event.rank == WM_EVENT_GATHERING)
        return wm_gathering_pass(m, &m->gatherings[event.step]);
    switch (wm_machine_step(m, event)->kind) {
    case WM_STEP_SEND:
    case WM_STEP_RECV:
        post(m, event);
        return true;
    case WM_STEP_SHARED:
        wm_gathering_post(m, event);
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
    wm_machine_finish(m, event);
    return true;
}

static struct wm_at find_unfinished(const struct wm_machine *m)
{
    for (int rank = 0; rank < m->grid->ranks; rank++)
        for (int s = 0; s < m->plans[rank]->step_count; s++)
            if (m->waits[m->first[rank] + (size_t)s] >= 0)
                return (struct wm_at){rank, s};
    return (struct wm_at){-1, -1};
}

bool wm_machine_run(struct wm_machine *m, enum wm_ready_order order, uint64_t seed)
{
    struct wm_at left;

    begin_run(m, seed);
    while (m->ready.head < m->ready.tail)
        if (!run_event(m, take_event(m, order)))
            return false;
    left = find_unfinished(m);
    return left.rank >= 0 ? wm_machine_refute_deadlock(m, left) : wm_machine_check_results(m);
}
