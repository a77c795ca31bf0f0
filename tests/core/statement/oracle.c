/* What a statement means, found without the code under test. */
#include "tests/core/statement/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "tests/core/statement/functions.h"

/* A rank that evaluates, under values of the variables. */
struct scope {
    struct oracle *o;
    int rank;
    struct value variables[VARIABLES_MAX];
    bool fault;
};

static void *grown(void *list, size_t *room, size_t count, size_t bytes)
{
    if (count <= *room)
        return list;
    *room = 2 * count;
    if ((list = realloc(list, *room * bytes)) == NULL)
        abort();
    return list;
}

/* ---- expressions ---- */

static struct value evaluate(struct scope *c, const struct node *n);

/* Add the offsets of a place's elements to the pool, the last dimension first to vary. Returns how many. */
static size_t find_place(struct scope *c, const struct node *n, int d, size_t offset)
{
    const struct thing *t = &c->o->s->things[n->index];
    __int128 from = 0, to;
    size_t count = 0;

    if (d == t->dimensions) {
        c->o->places = grown(c->o->places, &c->o->place_room, c->o->place_count + 1, sizeof *c->o->places);
        c->o->places[c->o->place_count++] = offset;
        return 1;
    }
    to = (__int128)t->extents[c->rank][d];
    if (n->kids[2 * d] != NULL) {
        from = evaluate(c, n->kids[2 * d]).whole;
        to = n->kids[2 * d + 1] != NULL ? evaluate(c, n->kids[2 * d + 1]).whole : from + 1;
    }
    c->fault |= from < 0 || to < from || to > (__int128)t->extents[c->rank][d];
    for (; from < to && !c->fault; from++)
        count += find_place(c, n, d + 1, offset * t->extents[c->rank][d] + (size_t)from);
    return count;
}

/* Dimensions behind one that has no elements are wrong, too, if they are. */
static void check_place(struct scope *c, const struct node *n)
{
    const struct thing *t = &c->o->s->things[n->index];

    for (int d = 0; d < t->dimensions; d++)
        if (n->kids[2 * d] != NULL) {
            __int128 extent = (__int128)t->extents[c->rank][d], from = evaluate(c, n->kids[2 * d]).whole;
            __int128 to = n->kids[2 * d + 1] != NULL ? evaluate(c, n->kids[2 * d + 1]).whole : from + 1;

            c->fault |= from < 0 || to < from || to > extent;
        }
}

static struct value load(struct scope *c, const struct node *n)
{
    size_t begin = c->o->place_count;
    struct value v = value_whole(WM_INT32, 0);

    find_place(c, n, 0, 0);
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
        a[i] = value_convert(evaluate(c, n->kids[i]), functions[function].argument, &c->fault);
    return c->fault ? value_whole(WM_INT32, 0) : function_call((enum function)function, a);
}

static struct value binary(struct scope *c, const struct node *n)
{
    struct value a = evaluate(c, n->kids[0]), b;

    if (n->op == OP_AND || n->op == OP_OR) {
        if (value_is_true(a) == (n->op == OP_OR))
            return value_whole(WM_INT32, n->op == OP_OR);
        return value_whole(WM_INT32, value_is_true(evaluate(c, n->kids[1])));
    }
    b = evaluate(c, n->kids[1]);
    return c->fault ? a : value_binary(n->op, a, b, &c->fault);
}

static struct value evaluate(struct scope *c, const struct node *n)
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
        v = evaluate(c, n->kids[0]);
        if (!c->fault)
            v = value_unary(n->op, v);
        break;
    case NODE_BINARY:
        v = binary(c, n);
        break;
    case NODE_CHOICE:
        v = evaluate(c, n->kids[value_is_true(evaluate(c, n->kids[0])) ? 1 : 2]);
        if (!c->fault)
            v = value_convert(v, n->type, &c->fault);
    }
    if (type_is_real(v.type) && isnan(v.real)) /* its bits are the processor's affair */
        c->o->murky = true;
    return v;
}

/* A rank; one that int64 has not is a fault, not a negative one. */
static __int128 evaluate_rank(struct scope *c, const struct node *n)
{
    __int128 rank = evaluate(c, n).whole;

    c->fault |= rank > INT64_MAX;
    return rank;
}

/* ---- clauses ---- */

static void enumerate(struct scope *c, int clause);

static void take(struct scope *c, int clause, struct value v)
{
    c->variables[c->o->s->clauses[clause].variable] = v;
    enumerate(c, clause + 1);
}

static void take_array(struct scope *c, int clause, const struct node *n)
{
    size_t begin = c->o->place_count, count;

    check_place(c, n);
    count = find_place(c, n, 0, 0);
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

    o->assigned = grown(o->assigned, &o->assigned_room, o->assigned_count + 1, sizeof *o->assigned);
    m = &o->assigned[o->assigned_count++];
    *m = (struct message){.from = -1};
    memcpy(m->variables, c->variables, sizeof m->variables);
}

static void enumerate(struct scope *c, int clause)
{
    const struct clause *of = &c->o->s->clauses[clause];
    struct value v, to;

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
        v = evaluate(c, of->from);
        to = evaluate(c, of->to);
        if (!c->fault)
            take_range(c, clause, v.whole, to.whole);
        break;
    case CLAUSE_ARRAY:
        take_array(c, clause, of->from);
        break;
    case CLAUSE_VALUE:
        v = evaluate(c, of->from);
        if (!c->fault)
            take(c, clause, v);
        break;
    case CLAUSE_FILTER:
        v = evaluate(c, of->from);
        if (!c->fault && value_is_true(v))
            enumerate(c, clause + 1);
    }
}

/* ---- messages ---- */

static struct message *message_add(struct messages *list, const struct message *like, int from, int to, int reduction)
{
    struct message *m;

    list->list = grown(list->list, &list->capacity, list->count + 1, sizeof *list->list);
    m = &list->list[list->count++];
    *m = *like;
    m->from = from;
    m->to = to;
    m->reduction = reduction;
    return m;
}

static char *data_add(struct oracle *o, size_t bytes)
{
    o->data = grown(o->data, &o->data_room, o->data_count + bytes, 1);
    o->data_count += bytes;
    return o->data + o->data_count - bytes;
}

/* The data of a place, as it will be stored. */
static void read_place(struct scope *c, struct message *m, const struct node *n, const struct thing *storage)
{
    const struct thing *t = &c->o->s->things[n->index];
    size_t begin = c->o->place_count;

    check_place(c, n);
    m->count = find_place(c, n, 0, 0);
    for (size_t i = 0; i < m->count && !c->fault; i++) {
        const char *from = (char *)c->o->memory->at[c->rank][n->index] + c->o->places[begin + i] * t->element_bytes;
        char *to = data_add(c->o, storage->element_bytes);
        struct value v;

        if (storage->type == WM_BYTES)
            memcpy(to, from, storage->element_bytes);
        else if (value_exact(value_load(t->type, from), storage->type, &v))
            value_store(v, to);
        else
            m->unreadable = true;
    }
    c->o->place_count = begin;
}

static void read_data(struct scope *c, struct message *m, const struct reduction *r)
{
    const struct thing *storage = &c->o->s->things[r->storage->index];
    struct value v;

    m->data_begin = c->o->data_count;
    if (r->data->kind == NODE_PLACE) {
        read_place(c, m, r->data, storage);
        return;
    }
    m->count = 1;
    v = evaluate(c, r->data);
    m->unreadable = c->fault || !value_exact(v, storage->type, &v);
    c->fault = false; /* it is found when the data is read, not when the messages are listed */
    if (!m->unreadable)
        value_store(v, data_add(c->o, storage->element_bytes));
}

/* Where the receiver stores it. */
static void find_storage(struct oracle *o, struct message *m)
{
    struct scope c = {.o = o, .rank = m->to};
    const struct node *n = o->s->reductions[m->reduction].storage;
    size_t count;

    memcpy(c.variables, m->variables, sizeof c.variables);
    m->place_begin = o->place_count;
    check_place(&c, n);
    count = find_place(&c, n, 0, 0);
    m->homeless = c.fault || count != m->count;
}

static void list_reduction(struct oracle *o, int rank, int reduction)
{
    const struct reduction *r = &o->s->reductions[reduction];

    for (size_t i = 0; i < o->assigned_count; i++) {
        struct scope c = {.o = o, .rank = rank};
        struct message *m;
        __int128 from, to;
        bool lost;

        memcpy(c.variables, o->assigned[i].variables, sizeof c.variables);
        from = evaluate_rank(&c, r->sender);
        o->faulty[rank] |= c.fault;
        c.fault = false;
        to = evaluate_rank(&c, r->receiver);
        lost = c.fault;
        c.fault = false;
        if (from == rank) {
            if (lost || to < 0 || to >= o->s->ranks) {
                o->faulty[rank] = true;
                continue;
            }
            m = message_add(&o->sends[rank], &o->assigned[i], rank, (int)to, reduction);
            read_data(&c, m, r);
            o->faulty[rank] |= c.fault;
            c.fault = false;
        }
        o->believes[rank] &= !lost;
        if (lost || to != rank || from < 0 || from >= o->s->ranks)
            continue;
        m = message_add(&o->beliefs[rank], &o->assigned[i], (int)from, rank, reduction);
        check_place(&c, r->storage);
        m->place_begin = o->place_count;
        m->count = find_place(&c, r->storage, 0, 0);
        o->place_count = m->place_begin;
        o->believes[rank] &= !c.fault;
    }
}

/* By peer; a stable sort. */
static void sort(struct messages *list, bool received)
{
    for (size_t i = 1; i < list->count; i++) {
        struct message m = list->list[i];
        size_t at = i;

        for (; at > 0 && (received ? list->list[at - 1].from > m.from : list->list[at - 1].to > m.to); at--)
            list->list[at] = list->list[at - 1];
        list->list[at] = m;
    }
}

/* What all ranks would have to know alike: who sends what to whom. */
static void compare_first(struct oracle *o, int rank)
{
    size_t at = 0;

    for (size_t i = 0; i < o->assigned_count; i++)
        for (int k = 0; k < o->s->reduction_count; k++) {
            struct scope c = {.o = o, .rank = rank};
            struct value v[2];

            memcpy(c.variables, o->assigned[i].variables, sizeof c.variables);
            v[0] = evaluate(&c, o->s->reductions[k].sender);
            v[1] = evaluate(&c, o->s->reductions[k].receiver);
            for (int x = -2; x < o->s->variable_count; x++, at++) {
                struct value is = x < 0 ? v[x + 2] : c.variables[x];

                if (rank == 0) {
                    o->first_ranks = grown(o->first_ranks, &o->first_room, at + 1, sizeof *o->first_ranks);
                    o->first_ranks[at] = is;
                } else if (at >= o->first_count || !value_alike(o->first_ranks[at], is)) {
                    o->alike = false;
                    return;
                }
            }
        }
    if (rank == 0)
        o->first_count = at;
    o->alike &= at == o->first_count;
}

void oracle_list(struct oracle *o, struct statement *s, const struct memory *memory)
{
    o->s = s;
    o->memory = memory;
    o->murky = false;
    o->alike = true;
    o->data_count = o->place_count = 0;
    for (int r = 0; r < s->ranks; r++) {
        struct scope c = {.o = o, .rank = r};

        o->sends[r].count = o->beliefs[r].count = o->assigned_count = 0;
        o->faulty[r] = false;
        o->believes[r] = true;
        enumerate(&c, 0);
        if (c.fault) {
            o->murky = true;
            return;
        }
        compare_first(o, r);
        for (int k = 0; k < s->reduction_count; k++)
            list_reduction(o, r, k);
        sort(&o->sends[r], false);
        sort(&o->beliefs[r], true);
    }
    for (int r = 0; r < s->ranks; r++)
        for (size_t i = 0; i < o->sends[r].count; i++)
            find_storage(o, &o->sends[r].list[i]);
}

static uint32_t variables_in(const struct node *n)
{
    uint32_t found = n != NULL && n->kind == NODE_VARIABLE ? UINT32_C(1) << n->index : 0;

    for (int i = 0; n != NULL && i < 6; i++)
        found |= variables_in(n->kids[i]);
    return found;
}

/* The next message of a pair behind `at`, or the list's count. */
static size_t next_of(const struct messages *list, size_t at, int from, int to)
{
    while (at < list->count && (list->list[at].from != from || list->list[at].to != to))
        at++;
    return at;
}

static bool is_same(const struct oracle *o, const struct message *a, const struct message *b)
{
    uint32_t carried = variables_in(o->s->reductions[a->reduction].storage);

    if (a->reduction != b->reduction || a->count != b->count)
        return false;
    for (int v = 0; v < o->s->variable_count; v++)
        if ((carried >> v & 1) != 0 && !value_alike(a->variables[v], b->variables[v]))
            return false;
    return true;
}

bool oracle_agrees(const struct oracle *o)
{
    for (int from = 0; from < o->s->ranks; from++)
        for (int to = 0; to < o->s->ranks; to++) {
            const struct messages *a = &o->sends[from], *b = &o->beliefs[to];
            size_t i = next_of(a, 0, from, to), k = next_of(b, 0, from, to);

            for (; i < a->count && k < b->count; i = next_of(a, i + 1, from, to), k = next_of(b, k + 1, from, to))
                if (!is_same(o, &a->list[i], &b->list[k]))
                    return false;
            if (i < a->count || k < b->count)
                return false;
        }
    return true;
}

bool oracle_fails(const struct oracle *o)
{
    for (int r = 0; r < o->s->ranks; r++) {
        if (o->faulty[r])
            return true;
        for (size_t i = 0; i < o->sends[r].count; i++)
            if (o->sends[r].list[i].unreadable || o->sends[r].list[i].homeless)
                return true;
    }
    return false;
}

bool oracle_is_collective(const struct oracle *o, int sender, int receiver, bool same)
{
    size_t bytes = o->s->things[o->s->reductions[0].storage->index].element_bytes;

    for (int from = 0; from < o->s->ranks; from++) {
        const struct messages *list = &o->sends[from];
        int first = receiver < 0 ? 0 : receiver, last = receiver < 0 ? o->s->ranks - 1 : receiver;
        size_t wanted = sender >= 0 && sender != from ? 0 : (size_t)(last - first + 1);

        if (list->count != wanted)
            return false;
        for (size_t i = 0; i < wanted; i++)
            if (list->list[i].to != first + (int)i ||
                (same && (list->list[i].count != list->list[0].count ||
                          memcmp(o->data + list->list[i].data_begin, o->data + list->list[0].data_begin,
                                 bytes * list->list[0].count) != 0)))
                return false;
    }
    return true;
}

/* ---- storing ---- */

static struct value combine_numbers(const char *op, struct value a, struct value b)
{
    static const struct {
        const char *text;
        int op;
    } plain[] = {{"+", '+'}, {"*", '*'}, {"&", '&'}, {"|", '|'}, {"^", '^'}};
    enum wm_number type = a.type;
    bool less = type_is_real(type) ? b.real < a.real : b.whole < a.whole;
    bool greater = type_is_real(type) ? b.real > a.real : b.whole > a.whole, fault = false;
    int truth = strcmp(op, "&&") == 0 ? value_is_true(a) && value_is_true(b) : value_is_true(a) || value_is_true(b);

    if (strcmp(op, "min") == 0)
        return less ? b : a;
    if (strcmp(op, "max") == 0)
        return greater ? b : a;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(op, plain[i].text) == 0) {
            a = value_binary(plain[i].op, a, b, &fault);
            return type_is_real(type) ? a : value_whole(type, a.whole);
        }
    return type_is_real(type) ? value_real(type, truth) : value_whole(type, truth);
}

static void combine(const struct statement *s, const struct reduction *r, char *to, const char *from)
{
    const struct thing *t = &s->things[r->storage->index];
    struct value both[2];

    if (r->bound < 0 && strcmp(r->text, "<<=") == 0) {
        memcpy(to, from, t->element_bytes);
    } else if (t->type == WM_BYTES) {
        (t->element_bytes == sizeof(struct pair) ? pair_combine : crumb_combine)(to, from);
    } else {
        both[0] = value_load(t->type, to);
        both[1] = value_load(t->type, from);
        value_store(r->bound >= 0 ? function_call((enum function)s->things[r->bound].function, both)
                                  : combine_numbers(r->text, both[0], both[1]),
                    to);
    }
}

void oracle_run(const struct oracle *o, struct memory *out)
{
    for (int from = 0; from < o->s->ranks; from++)
        for (size_t i = 0; i < o->sends[from].count; i++) {
            const struct message *m = &o->sends[from].list[i];
            const struct reduction *r = &o->s->reductions[m->reduction];
            size_t bytes = o->s->things[r->storage->index].element_bytes;

            for (size_t e = 0; e < m->count; e++)
                combine(o->s, r, (char *)out->at[m->to][r->storage->index] + o->places[m->place_begin + e] * bytes,
                        o->data + m->data_begin + e * bytes);
        }
}

void oracle_release(struct oracle *o)
{
    for (int r = 0; r < RANKS_MAX; r++) {
        free(o->sends[r].list);
        free(o->beliefs[r].list);
    }
    free(o->data);
    free(o->places);
    free(o->assigned);
    free(o->first_ranks);
}
