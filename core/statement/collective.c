/* Statements that are a collective operation of MPI. */
#include "core/statement/collective.h"

/* The variable of all ranks that a term is; -1: it is none. */
static int world_variable(const struct wm_statement *s, int term)
{
    while (s->terms[term].kind == WM_TERM_CONVERT)
        term = s->terms[term].operands[0];
    for (int i = 0; s->terms[term].kind == WM_TERM_VARIABLE && i < s->clause_count; i++)
        if (s->clauses[i].kind == WM_CLAUSE_WORLD && s->clauses[i].variable == s->terms[term].index)
            return s->terms[term].index;
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

/* One block a pair of ranks, none alike: each rank stores what comes of another elsewhere. */
static enum wm_operation store_operation(const struct wm_statement *s, const struct wm_reduction *r, int to, int from)
{
    if (from < 0)
        return has(s, r->data, to) ? WM_SCATTER : WM_BCAST;
    if (!has(s, r->storage, from))
        return WM_OPERATION_COUNT;
    if (to < 0)
        return WM_GATHER;
    return has(s, r->data, to) ? WM_ALLTOALL : WM_ALLGATHER;
}

static enum wm_operation combine_operation(const struct wm_statement *s, const struct wm_reduction *r, int to, int from)
{
    if (r->combiner == WM_OPERATOR_BOUND || from < 0 || has(s, r->storage, from))
        return WM_OPERATION_COUNT;
    if (to < 0)
        return WM_REDUCE;
    return has(s, r->data, to) ? WM_REDUCE_SCATTER_BLOCK : WM_ALLREDUCE;
}

enum wm_operation wm_statement_collective(const struct wm_statement *s, const struct wm_bound bindings[], int *root)
{
    const struct wm_reduction *r = &s->reductions[0];
    int to = world_variable(s, r->receiver), from = world_variable(s, r->sender), fixed;

    *root = -1;
    if (s->reduction_count != 1 || (to < 0 && from < 0) || to == from || !wm_statement_is_global(s, bindings))
        return WM_OPERATION_COUNT;
    if (s->clause_count != (to >= 0) + (from >= 0))
        return WM_OPERATION_COUNT;
    fixed = to < 0 ? r->receiver : from < 0 ? r->sender : -1;
    if (fixed >= 0 && s->terms[fixed].variables != 0)
        return WM_OPERATION_COUNT;
    if (!is_count_uniform(s, bindings, r->storage) || !is_count_uniform(s, bindings, r->data))
        return WM_OPERATION_COUNT;
    *root = fixed;
    return r->combiner == WM_OPERATOR_STORE ? store_operation(s, r, to, from) : combine_operation(s, r, to, from);
}
