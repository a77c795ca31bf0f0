/* Random expressions: any, and such as keep within a limit. */
#include "core/error.h"
#include "tests/core/statement/functions.h"
#include "tests/core/statement/generate.h"

struct node *node_new(struct statement *s, enum node_kind kind, enum wm_number type)
{
    struct node *n;

    if (s->node_count == NODES_MAX)
        WM_BUG("a random statement is too large");
    n = &s->nodes[s->node_count++];
    *n = (struct node){.kind = kind, .type = type};
    return n;
}

struct node *node_constant(struct statement *s, enum wm_number type, double value)
{
    struct node *n = node_new(s, NODE_CONSTANT, type);

    n->value = type_is_real(type) ? value_real(type, value) : value_whole(type, (__int128)value);
    return n;
}

struct node *node_variable(struct statement *s, int variable)
{
    struct node *n = node_new(s, NODE_VARIABLE, s->variables[variable].type);

    n->index = variable;
    return n;
}

struct node *node_binary(struct statement *s, int op, struct node *a, struct node *b)
{
    struct node *n = node_new(s, NODE_BINARY, type_binary(op, a->type, b->type));

    n->op = op;
    n->kids[0] = a;
    n->kids[1] = b;
    return n;
}

static struct node *node_choice(struct statement *s, struct node *condition, struct node *yes, struct node *no)
{
    struct node *n = node_new(s, NODE_CHOICE, type_common(yes->type, no->type));

    n->kids[0] = condition;
    n->kids[1] = yes;
    n->kids[2] = no;
    return n;
}

static struct node *node_call(struct statement *s, int thing, struct node *a, struct node *b)
{
    struct node *n = node_new(s, NODE_CALL, functions[s->things[thing].function].result);

    n->index = thing;
    n->kids[0] = a;
    n->kids[1] = b;
    return n;
}

struct node *generate_element(struct statement *s, int thing, int depth)
{
    const struct thing *t = &s->things[thing];
    struct node *n = node_new(s, NODE_PLACE, t->type);

    n->index = thing;
    for (int d = 0; d < t->dimensions; d++)
        n->kids[2 * d] = fuzz_chance(&s->random, 1) ? generate_integer(s, depth)
                                                    : generate_bounded(s, (long)least_extent(s, t, d), depth);
    return n;
}

/* ---- within a limit ---- */

static bool is_within(const struct thing *t, const void *limit)
{
    return t->kind == WM_BOUND_PLACE && t->ranged && t->low >= 0 && t->high < *(const long *)limit;
}

static bool is_number(const struct thing *t, const void *with)
{
    (void)with;
    return t->kind == WM_BOUND_PLACE && t->type != WM_BYTES;
}

static bool is_function(const struct thing *t, const void *function)
{
    return t->function == *(const int *)function;
}

static struct node *bounded_variable(struct statement *s, long limit)
{
    int first = (int)fuzz_below(&s->random, (size_t)s->variable_count);

    for (int i = 0; i < s->variable_count; i++) {
        int variable = (first + i) % s->variable_count;
        const struct variable *v = &s->variables[variable];

        if (v->ranged && v->low >= 0 && v->high < limit)
            return node_variable(s, variable);
    }
    return NULL;
}

static struct node *limit_node(struct statement *s, long limit)
{
    return limit == s->ranks && fuzz_chance(&s->random, 70) ? node_new(s, NODE_RANKS, WM_INT32)
                                                            : node_constant(s, WM_INT32, (double)limit);
}

static struct node *bounded_sum(struct statement *s, long limit, int depth)
{
    struct node *sum = node_binary(s, '+', generate_bounded(s, 8, depth), generate_bounded(s, 8, depth));

    return node_binary(s, '%', sum, limit_node(s, limit));
}

static struct node *bounded_rest(struct statement *s, long limit, int depth)
{
    struct node *last = limit_node(s, limit);

    last = last->kind == NODE_RANKS ? node_binary(s, '-', last, node_constant(s, WM_INT32, 1))
                                    : node_constant(s, WM_INT32, (double)(limit - 1));
    return node_binary(s, '-', last, generate_bounded(s, limit, depth));
}

/* The low bits of any integer. */
static struct node *bounded_mask(struct statement *s, long limit, int depth)
{
    long bits = 1;

    while (2 * bits <= limit)
        bits *= 2;
    return node_binary(s, '&', generate_integer(s, depth), node_constant(s, WM_INT32, (double)(bits - 1)));
}

static struct node *bounded_once(struct statement *s, long limit, int depth)
{
    int thing, fold = FUNCTION_fold;

    switch (fuzz_below(&s->random, depth > 0 ? 12 : 6)) {
    case 0:
        return node_constant(s, fuzz_chance(&s->random, 80) ? WM_INT32 : WM_INT64,
                             (double)fuzz_below(&s->random, (size_t)limit));
    case 1:
    case 2:
    case 3:
        return bounded_variable(s, limit);
    case 4:
        return s->ranks <= limit ? node_new(s, NODE_ME, WM_INT32) : NULL;
    case 5:
        thing = pick_thing(s, is_within, &limit);
        return thing >= 0 && (depth > 0 || s->things[thing].dimensions == 0) ? generate_element(s, thing, depth - 1)
                                                                             : NULL;
    case 6:
    case 7:
        return bounded_sum(s, limit, depth - 1);
    case 8:
        return bounded_rest(s, limit, depth - 1);
    case 9:
        return bounded_mask(s, limit, depth - 1);
    case 10:
        return node_choice(s, generate_any(s, depth - 1), generate_bounded(s, limit, depth - 1),
                           generate_bounded(s, limit, depth - 1));
    default:
        thing = pick_thing(s, is_function, &fold);
        return thing >= 0
                   ? node_call(s, thing, generate_integer(s, depth - 1), node_constant(s, WM_INT32, (double)limit))
                   : node_binary(s, '/', generate_bounded(s, limit, depth - 1), node_constant(s, WM_INT32, 2));
    }
}

struct node *generate_bounded(struct statement *s, long limit, int depth)
{
    for (int i = 0; i < 8 && limit > 0; i++) {
        struct node *n = bounded_once(s, limit, depth);

        if (n != NULL)
            return n;
    }
    return node_constant(s, WM_INT32, 0);
}

/* ---- any ---- */

static struct node *any_constant(struct statement *s)
{
    static const enum wm_number types[] = {WM_INT32, WM_INT32, WM_UINT32, WM_INT64, WM_UINT64, WM_FLOAT, WM_DOUBLE};
    enum wm_number type = FUZZ_PICK(&s->random, types);
    struct node *n = node_new(s, NODE_CONSTANT, type);

    if (type_is_real(type))
        n->value = value_real(type, (double)fuzz_below(&s->random, 100) / 4);
    else if (fuzz_chance(&s->random, 15))
        n->value = value_whole(type, type_greatest(type));
    else
        n->value = value_whole(type, (__int128)fuzz_below(&s->random, 20));
    return n;
}

static struct node *any_leaf(struct statement *s)
{
    int thing;

    switch (fuzz_below(&s->random, 6)) {
    case 0:
        return any_constant(s);
    case 1:
    case 2:
        if (s->variable_count > 0)
            return node_variable(s, (int)fuzz_below(&s->random, (size_t)s->variable_count));
        return node_new(s, NODE_RANKS, WM_INT32);
    case 3:
        return node_new(s, fuzz_chance(&s->random, 60) ? NODE_ME : NODE_RANKS, WM_INT32);
    default:
        thing = pick_thing(s, is_number, NULL);
        return generate_element(s, thing, 0);
    }
}

static bool is_total(const struct thing *t, const void *with)
{
    (void)with;
    return t->kind == WM_BOUND_FUNCTION && t->function != FUNCTION_owner;
}

static struct node *any_call(struct statement *s, int depth)
{
    int thing = pick_thing(s, is_total, NULL);
    const struct function_row *row = &functions[s->things[thing].function];
    struct node *n = node_new(s, NODE_CALL, row->result);

    n->index = thing;
    for (int i = 0; i < row->count; i++)
        n->kids[i] = type_is_real(row->argument) || fuzz_chance(&s->random, 3) ? generate_any(s, depth)
                                                                               : generate_integer(s, depth);
    return n;
}

static struct node *any_binary(struct statement *s, int depth)
{
    static const int ops[] = {'+',        '-',    '*',   '/', '<', '>', OP_LESS_EQUAL, OP_GREATER_EQUAL, OP_EQUAL,
                              OP_UNEQUAL, OP_AND, OP_OR, '%', '&', '|', '^',           OP_LEFT,          OP_RIGHT};
    int op = FUZZ_PICK(&s->random, ops);
    bool integers = op == '%' || op == '&' || op == '|' || op == '^' || op == OP_LEFT || op == OP_RIGHT;
    struct node *a = integers ? generate_integer(s, depth) : generate_any(s, depth);
    struct node *b = integers ? generate_integer(s, depth) : generate_any(s, depth);

    if (fuzz_chance(&s->random, 1))
        return node_binary(s, op, a, b);
    if (op == '/' && type_is_real(b->type))
        b = node_constant(s, b->type, 1 + (double)fuzz_below(&s->random, 8));
    else if (op == '/' || op == '%')
        b = node_binary(s, '|', b, node_constant(s, WM_INT32, 1));
    else if (op == OP_LEFT || op == OP_RIGHT)
        b = node_binary(s, '&', b, node_constant(s, WM_INT32, fuzz_chance(&s->random, 50) ? 31 : 7));
    return node_binary(s, op, a, b);
}

static struct node *any_unary(struct statement *s, int depth)
{
    static const int ops[] = {'-', '+', '!', '~'};
    int op = FUZZ_PICK(&s->random, ops);
    struct node *kid = op == '~' ? generate_integer(s, depth) : generate_any(s, depth);
    struct node *n = node_new(s, NODE_UNARY, type_unary(op, kid->type));

    n->op = op;
    n->kids[0] = kid;
    return n;
}

struct node *generate_any(struct statement *s, int depth)
{
    if (depth <= 0 || fuzz_chance(&s->random, 20))
        return any_leaf(s);
    switch (fuzz_below(&s->random, 8)) {
    case 0:
        return any_unary(s, depth - 1);
    case 1:
        return node_choice(s, generate_any(s, depth - 1), generate_any(s, depth - 1), generate_any(s, depth - 1));
    case 2:
        return any_call(s, depth - 1);
    case 3:
        return generate_bounded(s, 10, depth - 1);
    default:
        return any_binary(s, depth - 1);
    }
}

struct node *generate_integer(struct statement *s, int depth)
{
    struct node *n = generate_any(s, depth);

    return type_is_real(n->type) ? node_binary(s, '>', n, node_constant(s, n->type, 1)) : n;
}

/* ---- data ---- */

static bool is_convertible(const struct thing *t, const void *type)
{
    enum wm_number to = *(const enum wm_number *)type;

    if (t->kind != WM_BOUND_PLACE || t->type == WM_BYTES)
        return false;
    if (t->type == to || (t->type == WM_FLOAT && to == WM_DOUBLE))
        return true;
    return t->ranged && (type_is_real(to) || (t->low >= (long)type_least(to) && t->high <= 100));
}

static bool is_wider(enum wm_number to, enum wm_number from)
{
    if (type_is_real(to))
        return to == WM_DOUBLE ? type_is_real(from) || type_bits(from) <= 32 : from == WM_FLOAT || type_bits(from) < 24;
    return !type_is_real(from) && type_least(from) >= type_least(to) && type_greatest(from) <= type_greatest(to);
}

struct node *generate_data(struct statement *s, enum wm_number type)
{
    int thing = pick_thing(s, is_convertible, &type);
    struct node *n;

    if (thing >= 0 && fuzz_chance(&s->random, 50))
        return generate_element(s, thing, 2);
    n = generate_any(s, 3);
    if (is_wider(type, n->type) || fuzz_chance(&s->random, 2))
        return n;
    if (type_is_real(n->type))
        n = node_binary(s, '>', n, node_constant(s, n->type, 1));
    return node_binary(s, '&', n, node_constant(s, WM_INT32, type_bits(type) == 8 ? 127 : 16383));
}
