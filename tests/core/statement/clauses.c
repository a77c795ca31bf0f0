/* The clauses of a random statement. */
#include <stdio.h>
#include "tests/core/statement/generate.h"

enum { COMBINATIONS_MAX = 150, ARRAY_MAX = 12 };

struct clause *clause_new(struct statement *s, enum clause_kind kind)
{
    struct clause *c = &s->clauses[s->clause_count++];

    *c = (struct clause){.kind = kind, .variable = -1};
    return c;
}

int variable_new(struct statement *s, enum wm_number type, bool ranged, long low, long high)
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
    struct fuzz_random own = {~s->random.state};
    struct node *minus;

    if (s->variable_count == 0 && fuzz_chance(&own, 5))
        high = 2 * COMBINATIONS_MAX; /* more than are evaluated at once */
    c->to = high > COMBINATIONS_MAX ? node_constant(s, WM_INT32, (double)high) : generate_bounded(s, high + 2, 1);
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
