/* The values of a statement's variables under which a rank sends, or receives. */
#include "core/statement/enumerate.h"

#include <inttypes.h>
#include <string.h>

/* Combinations of values are taken together, as lanes: outer generators go from value to value, the innermost one makes
 * lanes, behind which clauses are evaluated for many at once. */
struct search {
    struct wm_frame *f;
    int rank_term;  /* of the side that is looked for */
    int pinned;     /* the variable that is the rank itself; -1: none is */
    int told_at;    /* how many clauses bind all that the rank depends on */
    int inner;      /* the innermost generator; -1: there is none */
    uint32_t outer; /* variables that are bound before it */
    void (*visit)(struct wm_frame *f, void *with);
    void *with;
    uint64_t steps;
    int lanes;                                 /* that wait */
    bool spread;                               /* outer variables differ between them */
    union wm_scalar outside[WM_VARIABLES_MAX]; /* the variables of the first one */
    union wm_scalar (*columns)[WM_VALUE_LANES], (*kept)[WM_VALUE_LANES];
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

static bool goes_on(const struct search *q)
{
    return q->f->rc == 0;
}

/* ---- lanes ---- */

/* Go on with some lanes alone. */
static void keep(struct search *q, const bool chosen[])
{
    struct wm_frame *f = q->f;
    int lanes = 0;

    for (int i = 0; i < f->lanes; i++)
        lanes += chosen[i];
    if (lanes == f->lanes)
        return;
    for (int v = 0; v < f->s->variable_count && lanes > 0; v++)
        for (int i = 0, k = 0; (f->varying >> v & 1) != 0 && i < f->lanes; i++) {
            q->kept[v][k] = f->columns[v][i];
            k += chosen[i];
        }
    f->columns = q->kept;
    f->lanes = lanes;
}

/* The rank is this one. */
static bool is_mine(struct search *q)
{
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values ranks = wm_evaluate_values(q->f, q->rank_term, room);
    bool chosen[WM_VALUE_LANES];

    if (q->f->rc != 0 || ranks.count == 1)
        return q->f->rc == 0 && ranks.at[0].i == q->f->me;
    for (int i = 0; i < ranks.count; i++)
        chosen[i] = ranks.at[i].i == q->f->me;
    keep(q, chosen);
    return q->f->lanes > 0;
}

/* The rank may be this one: it is, or it cannot be told yet. */
static bool may_be_mine(struct search *q)
{
    struct wm_frame *f = q->f;
    struct wm_error *error = f->error;
    bool may;

    if (f->varying != 0)
        return is_mine(q);
    f->error = NULL;
    may = is_mine(q) || f->rc != 0;
    f->rc = 0;
    f->error = error;
    return may;
}

/* Variables are compared as scalars, of which a float is a part. */
static union wm_scalar plain(const struct wm_statement *s, int variable, union wm_scalar value)
{
    return s->variables[variable].number == WM_FLOAT ? wm_scalar_load(WM_FLOAT, &value.f) : value;
}

static void bind(struct search *q, const struct wm_clause *c)
{
    struct wm_frame *f = q->f;
    union wm_scalar room[WM_VALUE_LANES], *column = f->varying != 0 ? f->columns[c->variable] : room;
    struct wm_values values = wm_evaluate_values(f, c->from, column);

    if (values.count == 1) {
        f->variables[c->variable] = plain(f->s, c->variable, values.at[0]);
        return;
    }
    if (values.at != column || f->s->variables[c->variable].number == WM_FLOAT)
        for (int i = 0; i < values.count; i++)
            column[i] = plain(f->s, c->variable, values.at[i]);
    f->varying |= UINT32_C(1) << c->variable;
}

static bool passes(struct search *q, const struct wm_clause *c)
{
    union wm_scalar room[WM_VALUE_LANES];
    struct wm_values truths = wm_evaluate_values(q->f, c->from, room);
    enum wm_number number = (enum wm_number)q->f->s->terms[c->from].number;
    bool chosen[WM_VALUE_LANES];

    if (truths.count == 1)
        return wm_scalar_is_true(number, truths.at[0]);
    for (int i = 0; i < truths.count; i++)
        chosen[i] = wm_scalar_is_true(number, truths.at[i]);
    keep(q, chosen);
    return q->f->lanes > 0;
}

/* A clause that is no generator. False: no lane goes on. */
static bool take_clause(struct search *q, const struct wm_clause *c)
{
    if (c->kind == WM_CLAUSE_FILTER)
        return passes(q, c) && q->f->rc == 0;
    bind(q, c);
    return q->f->rc == 0;
}

/* The clauses behind the innermost generator. */
static void finish(struct wm_frame *f, void *with)
{
    struct search *q = with;

    for (int i = q->inner + 1; i < f->s->clause_count; i++)
        if ((i == q->told_at && !may_be_mine(q)) || !take_clause(q, &f->s->clauses[i]))
            return;
    if (is_mine(q))
        q->visit(f, q->with);
}

/* Go on with the lanes that wait. */
static void flush(struct search *q)
{
    struct wm_frame *f = q->f;
    union wm_scalar variables[WM_VARIABLES_MAX];
    int lanes = q->lanes;
    uint32_t varying = q->inner < 0 ? 0 : UINT32_C(1) << f->s->clauses[q->inner].variable;

    q->lanes = 0;
    memcpy(variables, f->variables, sizeof variables);
    memcpy(f->variables, q->outside, sizeof variables);
    wm_frame_each(f, lanes, varying | (q->spread ? q->outer : 0), q->columns, finish, q);
    memcpy(f->variables, variables, sizeof variables);
}

/* Copy the outer variables, which are `values`, to lanes from `from` on. */
static void spread(struct search *q, const union wm_scalar values[], int from, int to)
{
    for (int v = 0; v < q->f->s->variable_count; v++)
        for (int i = from; (q->outer >> v & 1) != 0 && i < to; i++)
            q->columns[v][i] = values[v];
}

/* Lanes of the innermost generator follow. Many are taken by themselves, so that the outer variables are the same in
 * all. */
static void begin_lanes(struct search *q, uint64_t count)
{
    if (q->lanes > 0 && (count > WM_VALUE_LANES / 4 || count + (uint64_t)q->lanes > WM_VALUE_LANES))
        flush(q);
    if (q->lanes > 0 && !q->spread) {
        spread(q, q->outside, 0, q->lanes);
        q->spread = true;
    }
}

/* Add lanes: values from `value` on. Returns how many; there is always room for one, but after a fault. */
static int add_lanes(struct search *q, int64_t value, uint64_t count)
{
    union wm_scalar *column = q->inner < 0 ? NULL : q->columns[q->f->s->clauses[q->inner].variable];
    int added;

    if (q->lanes == WM_VALUE_LANES)
        flush(q);
    if (!goes_on(q))
        return 0;
    if (q->lanes == 0) {
        memcpy(q->outside, q->f->variables, sizeof q->outside);
        q->spread = false;
    }
    added = count < (uint64_t)(WM_VALUE_LANES - q->lanes) ? (int)count : WM_VALUE_LANES - q->lanes;
    for (int i = 0; column != NULL && i < added; i++)
        column[q->lanes + i].i = value + i;
    if (q->spread)
        spread(q, q->f->variables, q->lanes, q->lanes + added);
    q->lanes += added;
    return added;
}

/* ---- clauses up to the innermost generator ---- */

static void go_on(struct search *q, int clause);

/* The members of a generator's set are more than may be gone through. */
static bool is_too_much(struct search *q, int clause, uint64_t members)
{
    int term = q->f->s->clauses[clause].from;

    if (members > WM_ENUMERATE_STEPS_MAX - q->steps)
        wm_frame_fault(q->f, term < 0 ? q->rank_term : term,
                       "the range has %" PRIu64
                       " members: a rank goes through at most %d combinations of the clauses' values",
                       members, WM_ENUMERATE_STEPS_MAX);
    return q->f->rc != 0;
}

/* A generator takes `count` values, from this one on. */
static void take(struct search *q, int clause, int64_t value, uint64_t count)
{
    q->steps += count;
    if (clause == q->inner) {
        for (uint64_t added = 0; added < count && goes_on(q);)
            added += (uint64_t)add_lanes(q, value + (int64_t)added, count - added);
        return;
    }
    for (uint64_t i = 0; i < count && goes_on(q); i++) {
        q->f->variables[q->f->s->clauses[clause].variable].i = value + (int64_t)i;
        go_on(q, clause + 1);
    }
}

static void take_range(struct search *q, int clause, int64_t from, int64_t to)
{
    uint64_t members = from < to ? (uint64_t)to - (uint64_t)from : 0;

    if (q->f->s->clauses[clause].variable == q->pinned) {
        members = from <= q->f->me && q->f->me < to;
        from = q->f->me;
    }
    if (is_too_much(q, clause, members))
        return;
    if (clause == q->inner)
        begin_lanes(q, members);
    take(q, clause, from, members);
}

static void take_array(struct search *q, int clause)
{
    const struct wm_clause *c = &q->f->s->clauses[clause];
    struct wm_section set = wm_evaluate_place(q->f, c->from);
    const struct wm_bound *b = &q->f->bindings[set.binding];
    size_t bytes = wm_binding_element_bytes(b), begin;
    struct wm_run_walk runs = wm_section_runs(&set);
    bool pinned = c->variable == q->pinned;

    if (clause == q->inner)
        begin_lanes(q, set.count);
    while (goes_on(q) && wm_run_walk_next(&runs, &begin))
        for (size_t k = begin; k < begin + runs.length && goes_on(q); k++) {
            union wm_scalar value = wm_scalar_load((enum wm_number)b->number, (const char *)b->at + k * bytes);

            if ((!pinned || value.i == q->f->me) && !is_too_much(q, clause, 1))
                take(q, clause, value.i, 1);
        }
}

/* The clause at hand binds all that the rank depends on, and it is not this one. */
static bool is_told_off(struct search *q, int clause)
{
    return clause == q->told_at && clause <= q->inner && !may_be_mine(q);
}

static void go_on(struct search *q, int clause)
{
    const struct wm_clause *c = &q->f->s->clauses[clause];
    int64_t from, to;

    if (!goes_on(q) || is_told_off(q, clause))
        return;
    if (clause > q->inner) {
        add_lanes(q, 0, 1);
    } else if (c->kind == WM_CLAUSE_WORLD) {
        take_range(q, clause, 0, q->f->ranks);
    } else if (c->kind == WM_CLAUSE_RANGE) {
        from = wm_evaluate(q->f, c->from).i;
        to = wm_evaluate(q->f, c->to).i;
        take_range(q, clause, from, goes_on(q) ? to : from);
    } else if (c->kind == WM_CLAUSE_ARRAY) {
        take_array(q, clause);
    } else if (take_clause(q, c)) {
        go_on(q, clause + 1);
    }
}

static int find_inner(const struct wm_statement *s)
{
    int inner = s->clause_count - 1;

    while (inner >= 0 && (s->clauses[inner].kind == WM_CLAUSE_VALUE || s->clauses[inner].kind == WM_CLAUSE_FILTER))
        inner--;
    return inner;
}

void wm_enumerate(struct wm_frame *f, const struct wm_reduction *reduction, enum wm_side side,
                  void (*visit)(struct wm_frame *f, void *with), void *with)
{
    union wm_scalar columns[2][WM_VARIABLES_MAX][WM_VALUE_LANES];
    int term = side == WM_SENDS ? reduction->sender : reduction->receiver, rc;
    struct search q = {.f = f,
                       .rank_term = term,
                       .pinned = variable_of(f->s, term),
                       .told_at = find_told(f->s, term),
                       .inner = find_inner(f->s),
                       .visit = visit,
                       .with = with,
                       .columns = columns[0],
                       .kept = columns[1]};

    for (int i = 0; i < q.inner; i++)
        if (f->s->clauses[i].variable >= 0)
            q.outer |= UINT32_C(1) << f->s->clauses[i].variable;
    go_on(&q, 0);
    rc = f->rc;
    f->rc = 0; /* a fault of lanes that wait comes before it */
    if (q.lanes > 0)
        flush(&q);
    if (f->rc == 0)
        f->rc = rc;
}
