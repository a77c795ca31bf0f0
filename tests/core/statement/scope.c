/* A rank that evaluates a random statement, under values of its variables. */
#include "tests/core/statement/scope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/core/statement/functions.h"

void *scope_grown(void *list, size_t *room, size_t count, size_t bytes)
{
    if (count <= *room)
        return list;
    *room = 2 * count;
    if ((list = realloc(list, *room * bytes)) == NULL)
        abort();
    return list;
}

/* ---- expressions ---- */

size_t scope_find_place(struct scope *c, const struct node *n, int d, size_t offset)
{
    const struct thing *t = &c->o->s->things[n->index];
    __int128 from = 0, to;
    size_t count = 0;

    if (d == t->dimensions) {
        c->o->places = scope_grown(c->o->places, &c->o->place_room, c->o->place_count + 1, sizeof *c->o->places);
        c->o->places[c->o->place_count++] = thing_offset(t, c->rank, offset);
        return 1;
    }
    to = (__int128)t->extents[c->rank][d];
    if (n->kids[2 * d] != NULL) {
        from = scope_evaluate(c, n->kids[2 * d]).whole;
        to = n->kids[2 * d + 1] != NULL ? scope_evaluate(c, n->kids[2 * d + 1]).whole : from + 1;
    }
    c->fault |= from < 0 || to < from || to > (__int128)t->extents[c->rank][d];
    for (; from < to && !c->fault; from++)
        count += scope_find_place(c, n, d + 1, offset * t->extents[c->rank][d] + (size_t)from);
    return count;
}

void scope_check_place(struct scope *c, const struct node *n)
{
    const struct thing *t = &c->o->s->things[n->index];

    for (int d = 0; d < t->dimensions; d++)
        if (n->kids[2 * d] != NULL) {
            __int128 extent = (__int128)t->extents[c->rank][d], from = scope_evaluate(c, n->kids[2 * d]).whole;
            __int128 to = n->kids[2 * d + 1] != NULL ? scope_evaluate(c, n->kids[2 * d + 1]).whole : from + 1;

            c->fault |= from < 0 || to < from || to > extent;
        }
}

static struct value load(struct scope *c, const struct node *n)
{
    size_t begin = c->o->place_count;
    struct value v = value_whole(WM_INT32, 0);

    scope_find_place(c, n, 0, 0);
    if (!c->fault)
        v = value_load(n->type, (char *)c->o->memory->at[c->rank][n->index] +
                                    c->o->places[begin] * c->o->s->things[n->index].element_bytes);
    c->o->place_count = begin;
    return v;
}

static struct value call(struct scope *c, const struct node *n)
{
    int function = c->o->s->things[n->index].function;
    struct value a[3] = {{.type = WM_INT32}};

    for (int i = 0; i < functions[function].count; i++)
        a[i] = value_convert(scope_evaluate(c, n->kids[i]), functions[function].argument, &c->fault);
    return c->fault ? value_whole(WM_INT32, 0) : function_call((enum function)function, a);
}

static struct value binary(struct scope *c, const struct node *n)
{
    struct value a = scope_evaluate(c, n->kids[0]), b;

    if (n->op == OP_AND || n->op == OP_OR) {
        if (value_is_true(a) == (n->op == OP_OR))
            return value_whole(WM_INT32, n->op == OP_OR);
        return value_whole(WM_INT32, value_is_true(scope_evaluate(c, n->kids[1])));
    }
    b = scope_evaluate(c, n->kids[1]);
    return c->fault ? a : value_binary(n->op, a, b, &c->fault);
}

struct value scope_evaluate(struct scope *c, const struct node *n)
{
    struct value v = value_whole(WM_INT32, 0);

    if (c->fault)
        return v;
    switch (n->kind) {
    case NODE_CONSTANT:
        return n->value;
    case NODE_VARIABLE:
        return c->variables[n->index];
    case NODE_ME:
        return value_whole(WM_INT32, c->rank);
    case NODE_RANKS:
        return value_whole(WM_INT32, c->o->s->ranks);
    case NODE_PLACE:
        return load(c, n);
    case NODE_CALL:
        v = call(c, n);
        break;
    case NODE_UNARY:
        v = scope_evaluate(c, n->kids[0]);
        if (!c->fault)
            v = value_unary(n->op, v);
        break;
    case NODE_BINARY:
        v = binary(c, n);
        break;
    case NODE_CHOICE:
        v = scope_evaluate(c, n->kids[value_is_true(scope_evaluate(c, n->kids[0])) ? 1 : 2]);
        if (!c->fault)
            v = value_convert(v, n->type, &c->fault);
    }
    if (type_is_real(v.type) && isnan(v.real)) /* its bits are the processor's affair */
        c->o->murky = true;
    return v;
}

__int128 scope_rank(struct scope *c, const struct node *n)
{
    __int128 rank = scope_evaluate(c, n).whole;

    c->fault |= rank > INT64_MAX;
    c->o->murky |= rank > INT64_MAX && n->kind == NODE_VARIABLE; /* whose other values a rank does not look at */
    return rank;
}

/* ---- clauses ---- */

static void take(struct scope *c, int clause, struct value v)
{
    c->variables[c->o->s->clauses[clause].variable] = v;
    scope_enumerate(c, clause + 1);
}

static void take_array(struct scope *c, int clause, const struct node *n)
{
    size_t begin = c->o->place_count, count;

    scope_check_place(c, n);
    count = scope_find_place(c, n, 0, 0);
    for (size_t i = 0; i < count && !c->fault; i++) {
        struct value v = value_load(n->type, (char *)c->o->memory->at[c->rank][n->index] +
                                                 c->o->places[begin + i] * wm_number_bytes(n->type));

        if (!type_is_real(v.type))
            v.type = type_promoted(v.type);
        take(c, clause, v);
    }
    c->o->place_count = begin;
}

static void take_range(struct scope *c, int clause, __int128 from, __int128 to)
{
    enum wm_number type = c->o->s->variables[c->o->s->clauses[clause].variable].type;

    for (; from < to && !c->fault; from++)
        take(c, clause, value_whole(type, from));
}

/* Keep the values under which all clauses hold. */
static void keep(struct scope *c)
{
    struct oracle *o = c->o;
    struct message *m;

    o->assigned = scope_grown(o->assigned, &o->assigned_room, o->assigned_count + 1, sizeof *o->assigned);
    m = &o->assigned[o->assigned_count++];
    *m = (struct message){.from = -1};
    memcpy(m->variables, c->variables, sizeof m->variables);
}

void scope_enumerate(struct scope *c, int clause)
{
    const struct clause *of = &c->o->s->clauses[clause];
    struct value v, to;

    c->fault |= ++c->o->steps > STEPS_MAX;
    if (c->fault)
        return;
    if (clause == c->o->s->clause_count) {
        keep(c);
        return;
    }
    switch (of->kind) {
    case CLAUSE_WORLD:
        take_range(c, clause, 0, c->o->s->ranks);
        break;
    case CLAUSE_RANGE:
        v = scope_evaluate(c, of->from);
        to = scope_evaluate(c, of->to);
        if (!c->fault)
            take_range(c, clause, v.whole, to.whole);
        break;
    case CLAUSE_ARRAY:
        take_array(c, clause, of->from);
        break;
    case CLAUSE_VALUE:
        v = scope_evaluate(c, of->from);
        if (!c->fault)
            take(c, clause, v);
        break;
    case CLAUSE_FILTER:
        v = scope_evaluate(c, of->from);
        if (!c->fault && value_is_true(v))
            scope_enumerate(c, clause + 1);
    }
}
