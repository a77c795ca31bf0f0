/* A random statement as a program would write it: parentheses where C needs them, and now and then where not. */
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "tests/core/statement/tree.h"

enum { NAME_STRENGTH = 13 };

struct printer {
    struct statement *s;
    struct fuzz_text *text;
};

static void print_node(struct printer *p, const struct node *n, int strength, bool enclosed);

static void space(struct printer *p)
{
    if (fuzz_chance(&p->s->random, 70))
        fuzz_text_print(p->text, "%s", fuzz_chance(&p->s->random, 3) ? "\n\t" : " ");
}

static void print_ellipsis(struct printer *p)
{
    space(p);
    fuzz_text_print(p->text, "...");
    space(p);
}

static const char *operator_text(int op, char buffer[2])
{
    static const char *const longer[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

    if (op >= OP_LEFT)
        return longer[op - OP_LEFT];
    buffer[0] = (char)op;
    buffer[1] = '\0';
    return buffer;
}

/* How strongly C's operators bind. */
static int operator_strength(int op)
{
    static const struct {
        int op, strength;
    } table[] = {{OP_OR, 2},
                 {OP_AND, 3},
                 {'|', 4},
                 {'^', 5},
                 {'&', 6},
                 {OP_EQUAL, 7},
                 {OP_UNEQUAL, 7},
                 {'<', 8},
                 {'>', 8},
                 {OP_LESS_EQUAL, 8},
                 {OP_GREATER_EQUAL, 8},
                 {OP_LEFT, 9},
                 {OP_RIGHT, 9},
                 {'+', 10},
                 {'-', 10},
                 {'*', 11},
                 {'/', 11},
                 {'%', 11}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].op == op)
            return table[i].strength;
    WM_BUG("an operator without a strength");
}

static int node_strength(const struct node *n)
{
    switch (n->kind) {
    case NODE_CHOICE:
        return 1;
    case NODE_BINARY:
        return operator_strength(n->op);
    case NODE_UNARY:
        return 12;
    default:
        return NAME_STRENGTH;
    }
}

static void print_constant(struct printer *p, const struct value *v)
{
    const char *suffix = v->type == WM_UINT32   ? "u"
                         : v->type == WM_INT64  ? "L"
                         : v->type == WM_UINT64 ? "UL"
                         : v->type == WM_FLOAT  ? "f"
                                                : "";
    char digits[64];

    if (type_is_real(v->type)) {
        snprintf(digits, sizeof digits, fuzz_chance(&p->s->random, 20) ? "%.9e" : "%.6f", v->real);
        fuzz_text_print(p->text, "%s%s", digits, suffix);
    } else {
        fuzz_text_print(p->text, fuzz_chance(&p->s->random, 10) ? "0x%lx%s" : "%lu%s", (unsigned long)v->whole, suffix);
    }
}

static void print_place(struct printer *p, const struct node *n)
{
    const struct thing *t = &p->s->things[n->index];

    fuzz_text_print(p->text, "%s", t->name);
    for (int d = 0; d < t->dimensions && n->kids[2 * d] != NULL; d++) {
        fuzz_text_print(p->text, "[");
        print_node(p, n->kids[2 * d], 1, true);
        if (n->kids[2 * d + 1] != NULL) {
            print_ellipsis(p);
            print_node(p, n->kids[2 * d + 1], 1, true);
        }
        fuzz_text_print(p->text, "]");
    }
}

static void print_call(struct printer *p, const struct node *n)
{
    fuzz_text_print(p->text, "%s(", p->s->things[n->index].name);
    for (int i = 0; i < 6 && n->kids[i] != NULL; i++) {
        if (i > 0)
            fuzz_text_print(p->text, ", ");
        print_node(p, n->kids[i], 1, true);
    }
    fuzz_text_print(p->text, ")");
}

static void print_operation(struct printer *p, const struct node *n, bool enclosed)
{
    int strength = node_strength(n);
    char buffer[2];

    switch (n->kind) {
    case NODE_UNARY:
        fuzz_text_print(p->text, "%c", n->op);
        print_node(p, n->kids[0], strength, enclosed);
        break;
    case NODE_BINARY:
        print_node(p, n->kids[0], strength, enclosed);
        space(p);
        fuzz_text_print(p->text, "%s", operator_text(n->op, buffer));
        space(p);
        print_node(p, n->kids[1], strength + 1, enclosed);
        break;
    default:
        print_node(p, n->kids[0], 2, enclosed);
        fuzz_text_print(p->text, " ? ");
        print_node(p, n->kids[1], 1, enclosed);
        fuzz_text_print(p->text, " : ");
        print_node(p, n->kids[2], 1, enclosed);
    }
}

/* In a place that takes operators of at least `strength`; where it is not enclosed, `<<` is not C's. */
static void print_node(struct printer *p, const struct node *n, int strength, bool enclosed)
{
    bool shift = n->kind == NODE_BINARY && n->op == OP_LEFT && !enclosed;
    bool parentheses = node_strength(n) < strength || shift || (n->type != WM_BYTES && fuzz_chance(&p->s->random, 4));

    if (parentheses)
        fuzz_text_print(p->text, "(");
    enclosed |= parentheses;
    switch (n->kind) {
    case NODE_CONSTANT:
        print_constant(p, &n->value);
        break;
    case NODE_VARIABLE:
        fuzz_text_print(p->text, "%s", p->s->variables[n->index].name);
        break;
    case NODE_ME:
        fuzz_text_print(p->text, "me");
        break;
    case NODE_RANKS:
        fuzz_text_print(p->text, "ranks");
        break;
    case NODE_PLACE:
        print_place(p, n);
        break;
    case NODE_CALL:
        print_call(p, n);
        break;
    default:
        print_operation(p, n, enclosed);
    }
    if (parentheses)
        fuzz_text_print(p->text, ")");
}

static void print_clause(struct printer *p, const struct clause *c)
{
    if (c->kind == CLAUSE_FILTER) {
        /* "n, i in world" has two variables. */
        print_node(p, c->from, node_strength(c->from) == NAME_STRENGTH ? NAME_STRENGTH + 1 : 1, true);
        return;
    }
    fuzz_text_print(p->text, "%s", p->s->variables[c->variable].name);
    if (c->joined)
        return;
    fuzz_text_print(p->text, c->kind == CLAUSE_VALUE ? " = " : " in ");
    if (c->kind == CLAUSE_WORLD) {
        fuzz_text_print(p->text, "world");
    } else if (c->kind == CLAUSE_RANGE) {
        fuzz_text_print(p->text, "{");
        print_node(p, c->from, 1, true);
        print_ellipsis(p);
        print_node(p, c->to, 1, true);
        fuzz_text_print(p->text, "}");
    } else if (c->kind == CLAUSE_ARRAY) {
        print_place(p, c->from);
    } else {
        print_node(p, c->from, 1, true);
    }
}

static void print_reduction(struct printer *p, const struct reduction *r)
{
    print_place(p, r->storage);
    fuzz_text_print(p->text, "@");
    print_node(p, r->receiver, 1, false);
    if (r->bound >= 0)
        fuzz_text_print(p->text, " << %s << ", p->s->things[r->bound].name);
    else if (strcmp(r->text, "<<=") == 0)
        fuzz_text_print(p->text, " <<= ");
    else
        fuzz_text_print(p->text, " << %s << ", r->text);
    print_node(p, r->data, 1, false);
    fuzz_text_print(p->text, "@");
    print_node(p, r->sender, 1, false);
}

void statement_print(struct statement *s, struct fuzz_text *text)
{
    struct printer p = {s, text};

    if (s->name[0] != '\0')
        fuzz_text_print(text, "%s: ", s->name);
    for (int i = 0; i < s->reduction_count; i++) {
        if (i > 0)
            fuzz_text_print(text, fuzz_chance(&s->random, 50) ? ", " : "; ");
        print_reduction(&p, &s->reductions[i]);
    }
    for (int i = 0; i < s->clause_count; i++) {
        fuzz_text_print(text, i == 0 ? " where " : ", ");
        print_clause(&p, &s->clauses[i]);
    }
    if (s->hint[0] != '\0')
        fuzz_text_print(text, s->clause_count > 0 && fuzz_chance(&s->random, 50) ? ", %s" : " %s", s->hint);
}
