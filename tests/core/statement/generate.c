/* Random statements. */
#include "tests/core/statement/generate.h"

/* Have an index of the place be the rank at the other end, if that is a variable. */
static void index_by(struct statement *s, struct node *place, const struct node *rank)
{
    if (place->kind != NODE_PLACE || rank->kind != NODE_VARIABLE || !fuzz_chance(&s->random, 40))
        return;
    for (int d = 0; d < s->things[place->index].dimensions; d++)
        if (place->kids[2 * d] != NULL && place->kids[2 * d + 1] == NULL &&
            (long)least_extent(s, &s->things[place->index], d) >= s->ranks) {
            place->kids[2 * d] = node_variable(s, rank->index);
            return;
        }
}

/* From ranks up to each one, or before it. */
static void generate_scan(struct statement *s, const struct reduction *r)
{
    static const int ops[] = {'<', OP_LESS_EQUAL, OP_LESS_EQUAL};

    clause_new(s, CLAUSE_FILTER)->from = node_binary(s, FUZZ_PICK(&s->random, ops), node_variable(s, r->sender->index),
                                                     node_variable(s, r->receiver->index));
}

/* A part of the ranks: of all variables so far. */
static void generate_part(struct statement *s)
{
    static const int ops[] = {OP_GREATER_EQUAL, OP_UNEQUAL, OP_UNEQUAL, '<', OP_EQUAL};
    int op = FUZZ_PICK(&s->random, ops), variables = s->variable_count;
    long which = op == OP_EQUAL ? 2 : s->ranks, value = (long)fuzz_below(&s->random, (size_t)which);

    for (int v = 0; v < variables; v++) {
        struct node *of = node_variable(s, v);

        if (op == OP_EQUAL)
            of = node_binary(s, '%', of, node_constant(s, WM_INT32, 2));
        clause_new(s, CLAUSE_FILTER)->from = node_binary(s, op, of, node_constant(s, WM_INT32, (double)value));
    }
}

/* The first rank of the variable's row in a grid, or of its column. */
static struct node *generate_row(struct statement *s, int variable)
{
    long columns = 2 + (long)fuzz_below(&s->random, 3);
    struct node *row = node_binary(s, '/', node_variable(s, variable), node_constant(s, WM_INT32, (double)columns));

    if (fuzz_chance(&s->random, 50))
        return node_binary(s, '%', node_variable(s, variable), node_constant(s, WM_INT32, (double)columns));
    return node_binary(s, '*', row, node_constant(s, WM_INT32, (double)columns));
}

/* A statement that is a collective operation, or nearly one. */
static void generate_collective(struct statement *s)
{
    struct reduction *r = &s->reductions[s->reduction_count++];
    bool all = fuzz_chance(&s->random, 50), joined = all && fuzz_chance(&s->random, 50);
    struct node *one;

    for (int i = 0; i <= all; i++)
        clause_new(s, CLAUSE_WORLD)->variable = variable_new(s, WM_INT32, true, 0, s->ranks - 1);
    s->clauses[0].joined = joined;
    if (all)
        one = node_variable(s, 1);
    else if (s->ranks >= 4 && fuzz_chance(&s->random, 20))
        one = generate_row(s, 0);
    else
        one = generate_bounded(s, s->ranks, (int)fuzz_below(&s->random, 3));
    if (!all && fuzz_chance(&s->random, 40))
        clause_new(s, CLAUSE_FILTER)->from = node_binary(s, OP_UNEQUAL, node_variable(s, 0), one);
    if (fuzz_chance(&s->random, 40))
        generate_part(s);
    r->receiver = node_variable(s, 0);
    r->sender = one;
    if (fuzz_chance(&s->random, 50)) {
        r->receiver = one;
        r->sender = node_variable(s, 0);
    }
    generate_ends(s, r);
    if (all && fuzz_chance(&s->random, 40)) {
        generate_scan(s, r);
    } else {
        index_by(s, r->storage, r->sender);
        index_by(s, r->data, r->receiver);
    }
    generate_operator(s, r);
}

void statement_generate(struct statement *s, uint64_t seed, int ranks, unsigned collective)
{
    static const char *const hints[] = {"global", "corresponding", "sender", "receiver"};
    int reductions;

    s->random.state = seed;
    s->ranks = ranks > 0 ? ranks : 1 + (int)fuzz_below(&s->random, RANKS_MAX);
    s->thing_count = s->variable_count = s->clause_count = s->reduction_count = s->node_count = 0;
    s->name = fuzz_chance(&s->random, 10) ? "halo" : "";
    s->hint = fuzz_chance(&s->random, 20) ? FUZZ_PICK(&s->random, hints) : "";
    generate_things(s);
    if (fuzz_chance(&s->random, collective)) {
        generate_collective(s);
        return;
    }
    generate_clauses(s);
    reductions = fuzz_chance(&s->random, 60) ? 1 : 1 + (int)fuzz_below(&s->random, REDUCTIONS_MAX);
    for (int i = 0; i < reductions; i++)
        generate_reduction(s);
}
