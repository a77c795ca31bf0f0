/* Statements that are a collective operation of MPI. */
#include "core/statement/collective.h"

/* A term as it was before it was converted. */
static const struct wm_term *plain(const struct wm_statement *s, int term)
{
    while (s->terms[term].kind == WM_TERM_CONVERT)
        term = s->terms[term].operands[0];
    return &s->terms[term];
}

/* The variable that a term is; -1: it is none. */
static int variable(const struct wm_statement *s, int term)
{
    return plain(s, term)->kind == WM_TERM_VARIABLE ? plain(s, term)->index : -1;
}

/* The clause of a set that binds the variable; -1: there is none. */
static int clause_of(const struct wm_statement *s, enum wm_clause_kind kind, int of)
{
    for (int i = 0; of >= 0 && i < s->clause_count; i++)
        if (s->clauses[i].kind == kind && s->clauses[i].variable == of)
            return i;
    return -1;
}

/* How many elements a place has is the same at all ranks. */
static bool is_count_uniform(const struct wm_statement *s, const struct wm_bound bindings[], int term)
{
    const struct wm_term *place = &s->terms[term];
    const struct wm_bound *b = &bindings[place->index];

    if (place->kind != WM_TERM_PLACE)
        return true;
    for (int d = 0; d < b->dimensions; d++) {
        int from = place->operands[2 * d], to = place->operands[2 * d + 1];

        if (from < 0 ? (b->promises & (WM_IS_UNIFORM | WM_IS_SIZED)) == 0
                     : to >= 0 && (!wm_term_is_uniform(s, bindings, from) || !wm_term_is_uniform(s, bindings, to)))
            return false;
    }
    return true;
}

static bool has(const struct wm_statement *s, int term, int variable)
{
    return variable >= 0 && (s->terms[term].variables >> variable & 1) != 0;
}

static bool is_constant(const struct wm_statement *s, int term, int64_t value)
{
    const struct wm_term *t = plain(s, term);

    return t->kind == WM_TERM_CONSTANT && t->number != WM_FLOAT && t->number != WM_DOUBLE && t->value.i == value;
}

/* How much more than a variable a term is: 0 or 1; -1: it is something else. */
static int more_than(const struct wm_statement *s, int term, int of)
{
    const struct wm_term *t = plain(s, term);

    if (variable(s, term) == of)
        return 0;
    return t->kind == WM_TERM_BINARY && t->operation == '+' && variable(s, t->operands[0]) == of &&
                   is_constant(s, t->operands[1], 1)
               ? 1
               : -1;
}

/* A filter of two ranks says that one of them is at most the other, or less; else WM_OPERATION_COUNT. */
static enum wm_operation filter_scan(const struct wm_statement *s, int term, int to, int from)
{
    const struct wm_term *t = plain(s, term);
    bool turned = t->operation == '>' || t->operation == WM_TOKEN_GREATER_EQUAL;
    bool ordered = turned || t->operation == '<' || t->operation == WM_TOKEN_LESS_EQUAL;

    if (t->kind != WM_TERM_BINARY || !ordered || variable(s, t->operands[turned]) != from ||
        variable(s, t->operands[!turned]) != to)
        return WM_OPERATION_COUNT;
    return t->operation == '<' || t->operation == '>' ? WM_EXSCAN : WM_SCAN;
}

/* The clauses let each rank receive of those up to itself, or before itself: which of them; else WM_OPERATION_COUNT. */
static enum wm_operation clauses_scan(const struct wm_statement *s, int to, int from)
{
    int all_to = clause_of(s, WM_CLAUSE_WORLD, to), all_from = clause_of(s, WM_CLAUSE_WORLD, from);
    int some_to = clause_of(s, WM_CLAUSE_RANGE, to), some_from = clause_of(s, WM_CLAUSE_RANGE, from), more = -1;

    if (s->clause_count == 3 && all_to >= 0 && all_from >= 0 && s->clauses[3 - all_to - all_from].variable < 0)
        return filter_scan(s, s->clauses[3 - all_to - all_from].from, to, from);
    if (s->clause_count != 2)
        return WM_OPERATION_COUNT;
    if (all_to >= 0 && some_from >= 0 && is_constant(s, s->clauses[some_from].from, 0))
        more = more_than(s, s->clauses[some_from].to, to);
    else if (all_from >= 0 && some_to >= 0 && plain(s, s->clauses[some_to].to)->kind == WM_TERM_RANKS &&
             more_than(s, s->clauses[some_to].from, from) >= 0)
        more = 1 - more_than(s, s->clauses[some_to].from, from);
    return more < 0 ? WM_OPERATION_COUNT : more == 1 ? WM_SCAN : WM_EXSCAN;
}

static enum wm_operation scan_operation(const struct wm_statement *s)
{
    const struct wm_reduction *r = &s->reductions[0];
    int to = variable(s, r->receiver), from = variable(s, r->sender);

    if (to < 0 || from < 0 || to == from || r->combiner == WM_OPERATOR_STORE || has(s, r->storage, from) ||
        has(s, r->data, to))
        return WM_OPERATION_COUNT;
    return clauses_scan(s, to, from);
}

/* MPI does what the reduction's operator does: it has no logical operators of floating-point numbers, and Open MPI's
 * sums of numbers of one or two bytes may stop at the greatest one, where a statement's wrap around. */
static bool is_of_mpi(const struct wm_reduction *r)
{
    bool real = r->number == WM_FLOAT || r->number == WM_DOUBLE;

    if (r->combiner == WM_OPERATOR_BOUND)
        return false;
    if (r->combiner == WM_OPERATOR_ALL || r->combiner == WM_OPERATOR_ANY)
        return !real;
    return r->combiner != WM_OPERATOR_SUM || r->element_bytes > 2;
}

struct wm_collective wm_roles_collective(const struct wm_roles *roles, const struct wm_statement *s,
                                         const struct wm_bound bindings[])
{
    const struct wm_reduction *r = &s->reductions[0];
    struct wm_collective none = {.operation = WM_OPERATION_COUNT}, c = none;

    if (s->reduction_count != 1 || !wm_statement_is_global(s, bindings) || !is_of_mpi(r) ||
        !is_count_uniform(s, bindings, r->storage) || !is_count_uniform(s, bindings, r->data))
        return none;
    c.operation = scan_operation(s);
    if (c.operation != WM_OPERATION_COUNT)
        return c;
    c.operation = wm_roles_operation(roles, &c.team);
    c.root = c.team || c.operation == WM_OPERATION_COUNT ? 0 : roles->leader;
    return c;
}

static void widen(const struct wm_parts *parts, size_t *least, size_t *most)
{
    for (size_t i = 0; i < parts->count; i++) {
        *least = parts->parts[i].count < *least ? parts->parts[i].count : *least;
        *most = parts->parts[i].count > *most ? parts->parts[i].count : *most;
    }
}

void wm_traffic_blocks(const struct wm_traffic *x, size_t *least, size_t *most)
{
    *least = SIZE_MAX;
    *most = 0;
    widen(&x->sends, least, most);
    widen(&x->receives, least, most);
}

/* Each rank has a block for each other one, or one for all. */
static bool sends_many(enum wm_operation operation)
{
    return operation == WM_SCATTER || operation == WM_ALLTOALL || operation == WM_REDUCE_SCATTER_BLOCK;
}

static bool receives_many(enum wm_operation operation)
{
    return operation == WM_GATHER || operation == WM_ALLGATHER || operation == WM_ALLTOALL;
}

size_t wm_collective_blocks(const struct wm_collective *c, const struct wm_traffic *x, bool received)
{
    size_t parts = received ? x->receives.count : x->sends.count;
    bool many = received ? receives_many(c->operation) : sends_many(c->operation);

    return many || parts == 0 ? parts : 1;
}

/* The blocks stand one behind the other, as they travel. */
static bool is_row(const struct wm_collective *c, const struct wm_traffic *x, const struct wm_bound bindings[],
                   bool received, size_t blocks)
{
    const struct wm_statement_part *parts = received ? x->receives.parts : x->sends.parts;

    for (size_t i = 0; i < blocks; i++)
        if (!wm_part_is_whole(x, &parts[i], bindings, received) ||
            parts[i].section.binding != parts[0].section.binding ||
            parts[i].section.offset != parts[0].section.offset + i * c->block)
            return false;
    return blocks > 0;
}

/* The root of a broadcast has its block where it sends it from. */
static bool is_at_root(const struct wm_collective *c, const struct wm_traffic *x, const struct wm_bound bindings[])
{
    const struct wm_section *from = &x->sends.parts[0].section, *to = &x->receives.parts[0].section;

    return c->operation == WM_BCAST && from->offset == to->offset &&
           bindings[from->binding].at == bindings[to->binding].at;
}

void wm_collective_in_place(const struct wm_collective *c, const struct wm_traffic *x, const struct wm_bound bindings[],
                            bool disjoint, bool *sent, bool *received)
{
    size_t sends = wm_collective_blocks(c, x, false), receives = wm_collective_blocks(c, x, true);
    bool same;

    *sent = is_row(c, x, bindings, false, sends);
    *received = is_row(c, x, bindings, true, receives);
    same = !disjoint && *sent && *received && is_at_root(c, x, bindings);
    if (sends > 0 && receives > 0) {
        *sent = *sent && (disjoint || same);
        *received = *received && (c->operation == WM_BCAST ? same : disjoint);
    }
}
