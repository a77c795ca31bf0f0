/* The values of a statement's variables under which a rank sends, or receives. */
#include "core/statement/enumerate.h"

#include <inttypes.h>

struct search {
    struct wm_frame *f;
    int rank_term; /* of the side that is looked for */
    int pinned;    /* the variable that is the rank itself; -1: none is */
    int told_at;   /* how many clauses bind all that the rank depends on */
    bool (*visit)(struct wm_frame *f, void *with);
    void *with;
    bool ended;
    uint64_t steps;
};

/* The variable that a term is, -1: it is something else. */
static int variable_of(const struct wm_statement *s, int term)
{
    while (s->terms[term].kind == WM_TERM_CONVERT)
        term = s->terms[term].operands[0];
    return s->terms[term].kind == WM_TERM_VARIABLE ? s->terms[term].index : -1;
}

static bool has_call(const struct wm_statement *s, int term)
{
    if (s->terms[term].kind == WM_TERM_CALL)
        return true;
    for (int i = 0; i < WM_OPERANDS; i++)
        if (s->terms[term].operands[i] >= 0 && has_call(s, s->terms[term].operands[i]))
            return true;
    return false;
}

/* A function of the program is not called with what a filter excludes. */
static int find_told(const struct wm_statement *s, int term)
{
    uint32_t missing = s->terms[term].variables;
    int clauses = 0;

    for (; missing != 0 && clauses < s->clause_count; clauses++)
        if (s->clauses[clauses].variable >= 0)
            missing &= ~(UINT32_C(1) << s->clauses[clauses].variable);
    for (int i = clauses; i < s->clause_count && has_call(s, term); i++)
        if (s->clauses[i].kind == WM_CLAUSE_FILTER)
            clauses = i + 1;
    return clauses;
}

/* The rank may be this one: it is, or it cannot be told yet. */
static bool may_be_me(struct search *q)
{
    struct wm_frame *f = q->f;
    struct wm_error *error = f->error;
    int64_t rank;
    bool faulty;

    f->error = NULL;
    rank = wm_evaluate(f, q->rank_term).i;
    faulty = f->rc != 0;
    f->rc = 0;
    f->error = error;
    return faulty || rank == f->me;
}

static void go_on(struct search *q, int clause);

/* A generator takes a value. */
static void take(struct search *q, int clause, int64_t value)
{
    const struct wm_clause *c = &q->f->s->clauses[clause];

    if (++q->steps > WM_ENUMERATE_STEPS_MAX)
        wm_frame_fault(q->f, q->rank_term, "a rank goes through more than %d combinations of the clauses' values",
                       WM_ENUMERATE_STEPS_MAX);
    q->f->variables[c->variable].i = value;
    go_on(q, clause + 1);
}

static bool goes_on(const struct search *q)
{
    return q->f->rc == 0 && !q->ended;
}

static void take_range(struct search *q, int clause, int64_t from, int64_t to)
{
    uint64_t members = from < to ? (uint64_t)to - (uint64_t)from : 0;

    if (q->f->s->clauses[clause].variable == q->pinned) {
        if (from <= q->f->me && q->f->me < to)
            take(q, clause, q->f->me);
        return;
    }
    if (members > WM_ENUMERATE_STEPS_MAX - q->steps)
        wm_frame_fault(q->f, q->f->s->clauses[clause].from,
                       "the range has %" PRIu64
                       " members: a rank goes through at most %d combinations of the clauses' values",
                       members, WM_ENUMERATE_STEPS_MAX);
    for (int64_t value = from; value < to && goes_on(q); value++)
        take(q, clause, value);
}

static void take_array(struct search *q, int clause)
{
    const struct wm_clause *c = &q->f->s->clauses[clause];
    struct wm_section set = wm_evaluate_place(q->f, c->from);
    const struct wm_bound *b = &q->f->bindings[set.binding];
    size_t bytes = wm_binding_element_bytes(b), at[WM_DIMENSIONS] = {0};
    bool pinned = c->variable == q->pinned;

    for (size_t k = 0; k < set.count && goes_on(q); k++) {
        size_t offset = set.offset;
        union wm_scalar value;

        for (int d = 0; d < set.dimensions; d++)
            offset += at[d] * set.strides[d];
        value = wm_scalar_load((enum wm_number)b->number, (const char *)b->at + offset * bytes);
        if (!pinned || value.i == q->f->me)
            take(q, clause, value.i);
        for (int d = set.dimensions - 1; d >= 0 && ++at[d] == set.counts[d]; d--)
            at[d] = 0;
    }
}

static void try_clause(struct search *q, int clause)
{
    const struct wm_clause *c = &q->f->s->clauses[clause];
    struct wm_frame *f = q->f;
    union wm_scalar value;
    int64_t from, to;

    switch (c->kind) {
    case WM_CLAUSE_WORLD:
        take_range(q, clause, 0, f->ranks);
        break;
    case WM_CLAUSE_RANGE:
        from = wm_evaluate(f, c->from).i;
        to = wm_evaluate(f, c->to).i;
        take_range(q, clause, from, f->rc == 0 ? to : from);
        break;
    case WM_CLAUSE_ARRAY:
        take_array(q, clause);
        break;
    case WM_CLAUSE_VALUE:
        value = wm_evaluate(f, c->from);
        /* Variables are compared as scalars, of which a float is a part. */
        f->variables[c->variable] =
            f->s->variables[c->variable].number == WM_FLOAT ? wm_scalar_load(WM_FLOAT, &value.f) : value;
        go_on(q, clause + 1);
        break;
    case WM_CLAUSE_FILTER:
        if (wm_evaluate_truth(f, c->from))
            go_on(q, clause + 1);
        break;
    }
}

static void go_on(struct search *q, int clause)
{
    if (!goes_on(q) || (clause == q->told_at && clause < q->f->s->clause_count && !may_be_me(q)))
        return;
    if (clause < q->f->s->clause_count)
        try_clause(q, clause);
    else if (wm_evaluate(q->f, q->rank_term).i == q->f->me && q->f->rc == 0)
        q->ended = !q->visit(q->f, q->with);
}

void wm_enumerate(struct wm_frame *f, const struct wm_reduction *reduction, enum wm_side side,
                  bool (*visit)(struct wm_frame *f, void *with), void *with)
{
    int term = side == WM_SENDS ? reduction->sender : reduction->receiver;
    struct search q = {.f = f,
                       .rank_term = term,
                       .pinned = variable_of(f->s, term),
                       .told_at = find_told(f->s, term),
                       .visit = visit,
                       .with = with};

    go_on(&q, 0);
}
