/* Random statements: their clauses and reductions, well-typed, and mostly without a fault. */
#include "tests/core/statement/generate.h"

#include <stdio.h>
#include "core/error.h"
#include "tests/core/statement/functions.h"

enum { COMBINATIONS_MAX = 150, ARRAY_MAX = 12 };

/* ---- clauses ---- */

static struct clause *clause_new(struct statement *s, enum clause_kind kind)
{
    struct clause *c = &s->clauses[s->clause_count++];

    *c = (struct clause){.kind = kind, .variable = -1};
    return c;
}

static int variable_new(struct statement *s, enum wm_number type, bool ranged, long low, long high)
{
    static const char *const names[] = {"i", "j", "k", "l", "x", "y", "z", "w"};
    struct variable *v = &s->variables[s->variable_count];

    *v = (struct variable){.type = type, .ranged = ranged, .low = low, .high = high};
    snprintf(v->name, sizeof v->name, "%s", names[s->variable_count]);
    return s->variable_count++;
}

static bool is_numbers(const struct thing *t, const void *with)
{
    (void)with;
    return t->kind == WM_BOUND_PLACE && t->type != WM_BYTES && t->dimensions > 0;
}

static bool is_ranks(const struct thing *t, const void *ranks)
{
    return is_numbers(t, NULL) && t->ranged && t->low >= 0 && t->high < *(const int *)ranks;
}

static size_t generate_range(struct statement *s, struct clause *c)
{
    long low = (long)fuzz_below(&s->random, 3), high = 1 + (long)fuzz_below(&s->random, 5);
    struct node *minus;

    c->to = generate_bounded(s, high + 2, 1);
    if (fuzz_chance(&s->random, 10)) {
        minus = node_new(s, NODE_UNARY, WM_INT32);
        minus->op = '-';
        minus->kids[0] = node_constant(s, WM_INT32, 2);
        c->from = minus;
        low = -2;
    } else {
        c->from = generate_bounded(s, low + 1, 1);
        low = 0;
    }
    c->variable =
        variable_new(s, c->from->type == WM_INT32 && c->to->type == WM_INT32 ? WM_INT32 : WM_INT64, true, low, high);
    return (size_t)(high + 1 - low);
}

/* Numbers of an array: 0, if they are too many. */
static size_t generate_array(struct statement *s, struct clause *c)
{
    int thing = fuzz_chance(&s->random, 75) ? pick_thing(s, is_ranks, &s->ranks) : pick_thing(s, is_numbers, NULL);
    const struct thing *t = &s->things[thing];
    size_t count;

    c->from = generate_section(s, thing, &count);
    count = 1;
    for (int r = 0; r < s->ranks; r++)
        if (thing_count(t, r) > count)
            count = thing_count(t, r);
    if (count > ARRAY_MAX)
        return 0;
    for (int d = 0, single = 1; d < t->dimensions; d++) {
        single &= c->from->kids[2 * d] != NULL && c->from->kids[2 * d + 1] == NULL;
        if (d == t->dimensions - 1 && single)
            return 0;
    }
    c->variable = variable_new(s, type_is_real(t->type) ? t->type : type_promoted(t->type), t->ranged, t->low, t->high);
    return count;
}

static size_t generate_generator(struct statement *s)
{
    struct clause c = {.kind = (enum clause_kind)fuzz_below(&s->random, 3), .variable = -1};
    size_t count = (size_t)s->ranks;

    if (fuzz_chance(&s->random, 35))
        c.kind = CLAUSE_WORLD;
    if (c.kind == CLAUSE_RANGE)
        count = generate_range(s, &c);
    else if (c.kind == CLAUSE_ARRAY)
        count = generate_array(s, &c);
    else
        c.variable = variable_new(s, WM_INT32, true, 0, s->ranks - 1);
    if (count == 0)
        return 1;
    *clause_new(s, c.kind) = c;
    if (s->clause_count < CLAUSES_MAX - 3 && count <= 8 && fuzz_chance(&s->random, 20)) {
        const struct variable *v = &s->variables[c.variable];
        int second = variable_new(s, v->type, v->ranged, v->low, v->high);

        s->clauses[s->clause_count - 1].joined = true;
        clause_new(s, c.kind);
        s->clauses[s->clause_count - 1] = s->clauses[s->clause_count - 2];
        s->clauses[s->clause_count - 1].joined = false;
        s->clauses[s->clause_count - 1].variable = second;
        count *= count;
    }
    return count;
}

static void generate_value(struct statement *s)
{
    long limit = 1 + (long)fuzz_below(&s->random, 8);
    bool bounded = fuzz_chance(&s->random, 50);
    struct node *n = bounded ? generate_bounded(s, limit, 2) : generate_any(s, 3);
    struct clause *c = clause_new(s, CLAUSE_VALUE);

    c->from = n;
    c->variable = variable_new(s, n->type, bounded, 0, limit - 1);
}

static void generate_filter(struct statement *s)
{
    static const int ops[] = {OP_UNEQUAL, OP_UNEQUAL, '<', OP_LESS_EQUAL, OP_GREATER_EQUAL, OP_EQUAL};
    struct node *n;

    if (s->variable_count == 0 || fuzz_chance(&s->random, 25))
        n = generate_any(s, 3);
    else if (fuzz_chance(&s->random, 40))
        n = node_binary(s, OP_UNEQUAL, node_binary(s, '%', generate_bounded(s, 8, 1), node_constant(s, WM_INT32, 3)),
                        node_constant(s, WM_INT32, 1));
    else
        n = node_binary(s, FUZZ_PICK(&s->random, ops),
                        node_variable(s, (int)fuzz_below(&s->random, (size_t)s->variable_count)),
                        generate_bounded(s, s->ranks, 1));
    clause_new(s, CLAUSE_FILTER)->from = n;
}

void generate_clauses(struct statement *s)
{
    int wanted = (int)fuzz_below(&s->random, 5);
    size_t combinations = 1;

    while (s->clause_count < wanted && s->variable_count < VARIABLES_MAX - 2) {
        size_t kind = fuzz_below(&s->random, 10);

        if (kind < 6 && combinations < 20)
            combinations *= generate_generator(s);
        else if (kind < 8)
            generate_value(s);
        else
            generate_filter(s);
        if (combinations > COMBINATIONS_MAX)
            wanted = 0;
    }
}

/* ---- places ---- */

/* A slice of `length` elements, in an extent that may be greater at other ranks. */
static void generate_slice(struct statement *s, struct node *n, int d, long extent, long length)
{
    long beyond = fuzz_chance(&s->random, 4);
    struct node *from = generate_bounded(s, extent - length + 1 + beyond, 1);

    n->kids[2 * d] = from;
    n->kids[2 * d + 1] = from->kind == NODE_CONSTANT
                             ? node_constant(s, WM_INT32, (double)(long)from->value.whole + (double)length)
                             : node_binary(s, '+', from, node_constant(s, WM_INT32, (double)length));
}

struct node *generate_section(struct statement *s, int thing, size_t *count)
{
    const struct thing *t = &s->things[thing];
    struct node *n = node_new(s, NODE_PLACE, t->type);
    bool whole = true;

    n->index = thing;
    *count = 1;
    for (int d = t->dimensions - 1; d >= 0; d--) {
        long extent = (long)least_extent(s, t, d), length;

        whole &= fuzz_chance(&s->random, 50);
        if (whole) {
            *count *= (size_t)extent;
        } else if (fuzz_chance(&s->random, 50)) {
            n->kids[2 * d] = generate_bounded(s, extent, 2);
        } else {
            length = fuzz_chance(&s->random, 3) ? 0 : 1 + (long)fuzz_below(&s->random, (size_t)extent);
            generate_slice(s, n, d, extent, length);
            *count *= (size_t)length;
        }
    }
    return n;
}

static bool is_single(const struct statement *s, const struct node *n)
{
    for (int d = 0; d < s->things[n->index].dimensions; d++)
        if (n->kids[2 * d] == NULL || n->kids[2 * d + 1] != NULL)
            return false;
    return true;
}

/* ---- reductions ---- */

struct wanted {
    const struct thing *storage;
};

static bool is_place(const struct thing *t, const void *with)
{
    (void)with;
    return t->kind == WM_BOUND_PLACE;
}

static bool is_sendable(const struct thing *t, const void *with)
{
    const struct thing *storage = with;

    if (t->kind != WM_BOUND_PLACE)
        return false;
    if (storage->type == WM_BYTES || t->type == WM_BYTES)
        return t->type == storage->type && t->struct_type == storage->struct_type;
    return t->type == storage->type || (t->type == WM_FLOAT && storage->type == WM_DOUBLE) ||
           (t->ranged && (type_is_real(storage->type) || t->low >= (long)type_least(storage->type)));
}

static bool combines(const struct thing *t, const void *with)
{
    const struct thing *storage = with;
    const struct function_row *row = t->function >= 0 ? &functions[t->function] : NULL;

    if (storage->type == WM_BYTES)
        return t->kind == WM_BOUND_COMBINE;
    return row != NULL && row->count == 2 && row->argument == storage->type && row->result == storage->type;
}

static void generate_operator(struct statement *s, struct reduction *r)
{
    static const char *const texts[] = {"+", "+", "*", "min", "max", "&&", "||", "&", "|", "^"};
    const struct thing *storage = &s->things[r->storage->index];

    r->text = "<<=";
    r->bound = -1;
    if (fuzz_chance(&s->random, 50))
        return;
    if (storage->type == WM_BYTES || fuzz_chance(&s->random, 40))
        r->bound = pick_thing(s, combines, storage);
    if (storage->type != WM_BYTES && r->bound < 0)
        r->text = texts[fuzz_below(&s->random, type_is_real(storage->type) ? 7 : 10)];
}

/* One element, or as many at both ends. */
static void generate_ends(struct statement *s, struct reduction *r)
{
    int to = pick_thing(s, is_place, NULL), from = pick_thing(s, is_sendable, &s->things[to]);
    size_t stored, sent;

    if (fuzz_chance(&s->random, 40) && s->things[to].dimensions > 0 && s->things[from].dimensions > 0) {
        r->storage = generate_section(s, to, &stored);
        for (int i = 0; i < 12 && !is_single(s, r->storage); i++) {
            r->data = generate_section(s, from, &sent);
            if (!is_single(s, r->data) && (sent == stored || fuzz_chance(&s->random, 1)))
                return;
        }
    }
    r->storage = generate_element(s, to, 2);
    r->data = s->things[to].type == WM_BYTES ? generate_element(s, from, 2) : generate_data(s, s->things[to].type);
}

/* "A@(i + 1) … where …, i + 1 < ranks": what the filter excludes is not to be evaluated. */
static struct node *generate_neighbour(struct statement *s)
{
    for (int v = 0; v < s->variable_count && s->clause_count < CLAUSES_MAX; v++)
        if (s->variables[v].ranged && s->variables[v].low >= 0 && s->variables[v].high < s->ranks) {
            struct node *next = node_binary(s, '+', node_variable(s, v), node_constant(s, WM_INT32, 1));

            clause_new(s, CLAUSE_FILTER)->from = node_binary(s, '<', next, node_new(s, NODE_RANKS, WM_INT32));
            return next;
        }
    return generate_bounded(s, s->ranks, 2);
}

static bool is_owner(const struct thing *t, const void *with)
{
    (void)with;
    return t->function == FUNCTION_owner;
}

static struct node *node_owner(struct statement *s, int variable)
{
    struct node *call = node_new(s, NODE_CALL, WM_INT32);

    call->index = pick_thing(s, is_owner, NULL);
    call->kids[0] = node_variable(s, variable);
    return node_binary(s, '%', call, node_new(s, NODE_RANKS, WM_INT32));
}

static bool is_permutation(const struct thing *t, const void *with)
{
    (void)with;
    return t->permutation;
}

static struct node *node_permuted(struct statement *s, int variable)
{
    int thing = pick_thing(s, is_permutation, NULL);
    struct node *n = node_new(s, NODE_PLACE, s->things[thing].type);

    n->index = thing;
    n->kids[0] = node_variable(s, variable);
    return n;
}

/* "A@(owner(k) % ranks) … where …, k >= 0", or A@perm[k]: a function that must not be called with what a filter
 * excludes, an element that there is not; now and then the filter is forgotten. */
static struct node *generate_owned(struct statement *s)
{
    for (int v = 0; v < s->variable_count && s->clause_count < CLAUSES_MAX; v++)
        if (s->variables[v].ranged && s->variables[v].low < 0 && !type_is_real(s->variables[v].type)) {
            bool owner = fuzz_chance(&s->random, 50);
            struct node *rank = owner ? node_owner(s, v) : node_permuted(s, v);
            struct node *holds = node_binary(s, OP_GREATER_EQUAL, node_variable(s, v), node_constant(s, WM_INT32, 0));

            if (!owner)
                holds = node_binary(s, OP_AND, holds,
                                    node_binary(s, '<', node_variable(s, v), node_new(s, NODE_RANKS, WM_INT32)));
            if (owner || fuzz_chance(&s->random, 80))
                clause_new(s, CLAUSE_FILTER)->from = holds;
            return rank;
        }
    return generate_bounded(s, s->ranks, 2);
}

static struct node *generate_rank(struct statement *s, bool sends)
{
    switch (fuzz_below(&s->random, 12)) {
    case 0:
        return generate_neighbour(s);
    case 1:
        return generate_owned(s);
    case 2:
        return sends ? generate_bounded(s, s->ranks + 2, 2) : generate_bounded(s, s->ranks, 3);
    case 3:
    case 4:
    case 5:
        return generate_bounded(s, s->ranks, 2);
    default:
        return generate_bounded(s, s->ranks, 0);
    }
}

void generate_reduction(struct statement *s)
{
    struct reduction *r = &s->reductions[s->reduction_count++];

    generate_ends(s, r);
    generate_operator(s, r);
    r->receiver = fuzz_chance(&s->random, 1) ? generate_integer(s, 2) : generate_rank(s, false);
    r->sender = generate_rank(s, true);
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
    one = all ? node_variable(s, 1) : generate_bounded(s, s->ranks, (int)fuzz_below(&s->random, 3));
    r->receiver = node_variable(s, 0);
    r->sender = one;
    if (fuzz_chance(&s->random, 50)) {
        r->receiver = one;
        r->sender = node_variable(s, 0);
    }
    generate_ends(s, r);
    generate_operator(s, r);
}

void statement_generate(struct statement *s, uint64_t seed)
{
    static const char *const hints[] = {"global", "corresponding", "sender", "receiver"};
    int reductions;

    s->random.state = seed;
    s->ranks = 1 + (int)fuzz_below(&s->random, RANKS_MAX);
    s->thing_count = s->variable_count = s->clause_count = s->reduction_count = s->node_count = 0;
    s->name = fuzz_chance(&s->random, 10) ? "halo" : "";
    s->hint = fuzz_chance(&s->random, 20) ? FUZZ_PICK(&s->random, hints) : "";
    generate_things(s);
    if (fuzz_chance(&s->random, 10)) {
        generate_collective(s);
        return;
    }
    generate_clauses(s);
    reductions = fuzz_chance(&s->random, 60) ? 1 : 1 + (int)fuzz_below(&s->random, REDUCTIONS_MAX);
    for (int i = 0; i < reductions; i++)
        generate_reduction(s);
}
