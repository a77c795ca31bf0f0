/* The end of a run: who waits for whom for ever, and whether everyone has what it is to have. */
#include "tools/proof/machine.h"

#include <stdio.h>
#include <string.h>

enum { MISSING_NAMED = 3 };

static int waits_at(const struct wm_machine *m, struct wm_at at)
{
    return m->waits[m->first[at.rank] + (size_t)at.step];
}

/* The shared step for whose sake the window holds `at` back. */
static struct wm_at holder_of(const struct wm_machine *m, struct wm_at at)
{
    for (int g = 0; g < m->instance_count; g++)
        for (int i = 0; i < m->instances[g].size; i++)
            if (m->instances[g].members[i].rank == at.rank && m->instances[g].held[i] == at.step)
                return m->instances[g].members[i];
    return at;
}

/* A step that `at` depends on and that is not done. */
static struct wm_at unfinished_before(const struct wm_machine *m, struct wm_at at)
{
    const struct wm_plan *plan = m->plans[at.rank];

    for (int s = 0; s < at.step; s++)
        for (int e = 0; waits_at(m, (struct wm_at){at.rank, s}) >= 0 && e < plan->steps[s].successors; e++)
            if (plan->successors[plan->steps[s].first_successor + e] == at.step)
                return (struct wm_at){at.rank, s};
    return holder_of(m, at);
}

/* A member that has not come, and where it stands. */
static struct wm_at missing_member(const struct wm_machine *m, const struct wm_shared_instance *instance)
{
    int i = 0;

    while (i < instance->size - 1 && waits_at(m, instance->members[i]) == 0)
        i++;
    return instance->members[i];
}

/* " for rank 2 (line 5), rank 3 (line 5) and 4 more" */
static void missing_text(const struct wm_machine *m, const struct wm_shared_instance *instance, char *out,
                         size_t out_bytes)
{
    int missing = 0;

    out[0] = '\0';
    for (int i = 0; i < instance->size; i++) {
        struct wm_at at = instance->members[i];

        if (waits_at(m, at) > 0 && ++missing <= MISSING_NAMED)
            snprintf(out + strlen(out), out_bytes - strlen(out), "%s rank %d (line %d, step %d)",
                     missing > 1 ? "," : "", at.rank, wm_machine_line(m, at), at.step);
    }
    if (missing > MISSING_NAMED)
        snprintf(out + strlen(out), out_bytes - strlen(out), " and %d more", missing - MISSING_NAMED);
}

/* Say what a posted step waits for, and go there. */
static struct wm_at follow(const struct wm_machine *m, struct wm_at at, char *out, size_t out_bytes)
{
    const struct wm_step *step = wm_machine_step(m, at);
    int met = m->message_of[m->first[at.rank] + (size_t)at.step];
    char ranks[WM_MACHINE_RANKS_CHARS], missing[160];

    if (step->kind == WM_STEP_SHARED) {
        const struct wm_shared *shared = wm_machine_shared(m, at);

        missing_text(m, &m->instances[met], missing, sizeof missing);
        snprintf(out, out_bytes, "waits in the shared %s of %s for%s",
                 wm_shared_name((enum wm_shared_kind)shared->kind), wm_machine_ranks(shared, ranks), missing);
        return missing_member(m, &m->instances[met]);
    }
    snprintf(out, out_bytes, "%s rank %d", step->kind == WM_STEP_SEND ? "sends to" : "receives from", step->peer);
    return step->kind == WM_STEP_SEND ? m->messages[met].recv : m->messages[met].send;
}

/* Follow one step that waits to what it waits for, until the circle closes. */
bool wm_machine_refute_deadlock(struct wm_machine *m, struct wm_at at)
{
    char text[WM_ERROR_TEXT_CHARS / 2] = "", cause[320];
    struct wm_at start = {-1, -1};

    for (int hop = 0; hop < 8; hop++) {
        struct wm_at next;

        while (waits_at(m, at) > 0)
            at = unfinished_before(m, at);
        if (at.rank == start.rank && at.step == start.step)
            break;
        start = hop == 0 ? at : start;
        next = follow(m, at, cause, sizeof cause);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%srank %d (line %d, step %d) %s",
                 hop > 0 ? "; " : "", at.rank, wm_machine_line(m, at), at.step, cause);
        at = next;
    }
    wm_machine_refute(m, m->waits_in_place ? "with waits for all of the receive buffer a deadlock: %s" : "deadlock: %s",
                      text);
    if (m->waits_in_place)
        m->proof->outcome = WM_TOO_LARGE; /* by waits that may not be theirs: no fault, but no proof either */
    return false;
}

static bool check_symbol(struct wm_machine *m, int rank, const struct wm_proof_span *span)
{
    int low, high, culprit;

    wm_cast_contributors(&m->cast, wm_machine_rank(m, rank), &low, &high);
    if (!wm_operation_combines(m->path->operation))
        return true;
    culprit = wm_symbol_differs(span->symbol, low, high);
    return culprit < 0 || wm_machine_refute(m, "rank %d ends %s the contribution of rank %d in unit %zu", rank,
                                            culprit < low || culprit > high ? "with" : "without", culprit, span->low);
}

/* Same units of the data in the same place. */
static bool check_origins(struct wm_machine *m, int rank, const struct wm_proof_span *wanted,
                          const struct wm_proof_memory *found)
{
    for (int i = 0; i < found->count; i++)
        for (size_t low = found->spans[i].low; low < found->spans[i].high;) {
            struct wm_proof_span due = wm_span_range(wanted, low, found->spans[i].high);
            struct wm_proof_span span = wm_span_range(&found->spans[i], low, due.high);

            if (span.origin != due.origin)
                return wm_machine_refute(
                    m, "rank %d ends with unit %zu of the call's data in unit %zu, which is to be %zu", rank,
                    span.origin, low, due.origin);
            if (!check_symbol(m, rank, &span))
                return false;
            low = span.high;
        }
    return true;
}

/* The same trees of combinations, wherever either is cut. */
static bool check_trees(struct wm_machine *m, int rank, const struct wm_proof_memory *found,
                        const struct wm_proof_memory *known)
{
    for (int i = 0, j = 0; i < found->count && j < known->count;) {
        const struct wm_proof_span *a = &found->spans[i], *b = &known->spans[j];

        if (a->symbol->expression != b->symbol->expression)
            return wm_machine_refute(
                m,
                "rank %d: unit %zu is combined otherwise than before, or than at another rank, though the order is "
                "fixed",
                rank, a->low > b->low ? a->low : b->low);
        i += a->high <= b->high;
        j += b->high <= a->high;
    }
    return true;
}

static void copy_symbols(struct wm_arena *arena, struct wm_proof_memory *to, const struct wm_proof_memory *from)
{
    for (int i = 0; i < from->count; i++) {
        struct wm_proof_span span = from->spans[i];
        struct wm_symbol *symbol = wm_arena_take(arena, sizeof *symbol);

        *symbol = *span.symbol;
        span.symbol = symbol;
        wm_memory_append(arena, to, span);
    }
}

static bool check_fixed(struct wm_machine *m, int rank, const struct wm_proof_memory *found)
{
    /* Of a representative, expressions do not tell ranks: only its own are to be alike. */
    struct wm_proof_memory *known = &m->results[wm_cast_alike(&m->cast) && m->symmetry == NULL ? 0 : rank];

    if (known->count > 0)
        return check_trees(m, rank, found, known);
    copy_symbols(m->arena, known, found);
    return true;
}

static bool check_result(struct wm_machine *m, int rank)
{
    const struct wm_proof_memory *after = &m->after[rank];

    for (int i = 0; i < after->count; i++) {
        const struct wm_proof_span *wanted = &after->spans[i];
        struct wm_proof_memory found;
        size_t gap;

        if (!wm_memory_read(&m->event_arena, &m->memories[rank][WM_BUFFER_RECEIVE], wanted->low,
                            wanted->high - wanted->low, &found, &gap))
            return wm_machine_refute(m, "rank %d ends without a result in unit %zu", rank, gap);
        if (!check_origins(m, rank, wanted, &found))
            return false;
        if (m->order_fixed && wm_operation_combines(m->path->operation) && !check_fixed(m, rank, &found))
            return false;
    }
    return true;
}

bool wm_machine_check_results(struct wm_machine *m)
{
    for (int rank = 0; rank < m->ranks; rank++) {
        wm_arena_clear(&m->event_arena);
        if (!check_result(m, rank))
            return false;
    }
    return true;
}
