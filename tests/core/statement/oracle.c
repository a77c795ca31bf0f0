/* What a statement means, found without the code under test: its messages. */
#include "tests/core/statement/oracle.h"

#include <stdlib.h>
#include <string.h>
#include "tests/core/statement/scope.h"

static struct message *message_add(struct messages *list, const struct message *like, int from, int to, int reduction)
{
    struct message *m;

    list->list = scope_grown(list->list, &list->capacity, list->count + 1, sizeof *list->list);
    m = &list->list[list->count++];
    *m = *like;
    m->from = from;
    m->to = to;
    m->reduction = reduction;
    return m;
}

static char *data_add(struct oracle *o, size_t bytes)
{
    o->data = scope_grown(o->data, &o->data_room, o->data_count + bytes, 1);
    o->data_count += bytes;
    return o->data + o->data_count - bytes;
}

/* The data of a place, as it will be stored. */
static void read_place(struct scope *c, struct message *m, const struct node *n, const struct thing *storage)
{
    const struct thing *t = &c->o->s->things[n->index];
    size_t begin = c->o->place_count;

    scope_check_place(c, n);
    m->count = scope_find_place(c, n, 0, 0);
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
    v = scope_evaluate(c, r->data);
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
    scope_check_place(&c, n);
    count = scope_find_place(&c, n, 0, 0);
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
        from = scope_rank(&c, r->sender);
        o->faulty[rank] |= c.fault;
        c.fault = false;
        to = scope_rank(&c, r->receiver);
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
        scope_check_place(&c, r->storage);
        m->place_begin = o->place_count;
        m->count = scope_find_place(&c, r->storage, 0, 0);
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
            v[0] = scope_evaluate(&c, o->s->reductions[k].sender);
            v[1] = scope_evaluate(&c, o->s->reductions[k].receiver);
            for (int x = -2; x < o->s->variable_count; x++, at++) {
                struct value is = x < 0 ? v[x + 2] : c.variables[x];

                if (rank == 0) {
                    o->first_ranks = scope_grown(o->first_ranks, &o->first_room, at + 1, sizeof *o->first_ranks);
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
        scope_enumerate(&c, 0);
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
