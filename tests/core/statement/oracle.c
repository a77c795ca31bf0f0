/* What a statement means, found without the code under test: its messages. */
#include "tests/core/statement/oracle.h"

#include <stdlib.h>
#include <string.h>
#include "tests/core/statement/message.h"

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
            message_read(&c, m, r);
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

void oracle_begin(struct oracle *o, struct statement *s, const struct memory *memory)
{
    o->s = s;
    o->memory = memory;
    o->murky = false;
    o->alike = true;
    o->data_count = o->place_count = 0;
}

bool oracle_assign(struct oracle *o, int rank)
{
    struct scope c = {.o = o, .rank = rank};

    o->sends[rank].count = o->beliefs[rank].count = o->assigned_count = 0;
    o->steps = 0;
    o->faulty[rank] = false;
    o->believes[rank] = true;
    scope_enumerate(&c, 0);
    o->murky |= c.fault;
    return !c.fault;
}

void oracle_list(struct oracle *o, struct statement *s, const struct memory *memory)
{
    oracle_begin(o, s, memory);
    for (int r = 0; r < s->ranks; r++) {
        if (!oracle_assign(o, r))
            return;
        compare_first(o, r);
        for (int k = 0; k < s->reduction_count; k++)
            list_reduction(o, r, k);
        messages_sort(&o->sends[r], false);
        messages_sort(&o->beliefs[r], true);
    }
    for (int r = 0; r < s->ranks; r++)
        for (size_t i = 0; i < o->sends[r].count; i++)
            message_place(o, &o->sends[r].list[i]);
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

/* All messages of the rank have the same data. */
static bool sends_alike(const struct oracle *o, int from)
{
    size_t bytes = o->s->things[o->s->reductions[0].storage->index].element_bytes;
    const struct messages *list = &o->sends[from];

    for (size_t i = 1; i < list->count; i++)
        if (list->list[i].count != list->list[0].count ||
            memcmp(o->data + list->list[i].data_begin, o->data + list->list[0].data_begin,
                   bytes * list->list[0].count) != 0)
            return false;
    return true;
}

/* The rank sends one message to each of these, in their order; to or of itself it may send none, if `but_itself`. */
static bool sends_each(const struct oracle *o, int from, const int to[], int count, bool but_itself)
{
    const struct messages *list = &o->sends[from];
    size_t at = 0;

    for (int i = 0; i < count; i++)
        if (at < list->count && list->list[at].to == to[i])
            at++;
        else if (!but_itself || to[i] != from)
            return false;
    return at == list->count;
}

bool oracle_is_collective(const struct oracle *o, enum wm_operation operation, int rank, const int ranks[], int count,
                          int root)
{
    bool down = operation == WM_BCAST || operation == WM_SCATTER, up = operation == WM_GATHER || operation == WM_REDUCE;
    bool same = operation == WM_BCAST || operation == WM_ALLGATHER || operation == WM_ALLREDUCE;
    bool leads = count > 0 && ranks[root] == rank;
    int first = up ? root : 0, others = down && !leads ? 0 : up ? count > 0 : count;

    return sends_each(o, rank, ranks + first, others, leads) && (!same || sends_alike(o, rank));
}

bool oracle_is_scan(const struct oracle *o, bool inclusive)
{
    int ranks[RANKS_MAX];
    bool is = true;

    for (int r = 0; r < o->s->ranks; r++)
        ranks[r] = r;
    for (int from = 0; from < o->s->ranks; from++)
        is &= sends_each(o, from, ranks + from + !inclusive, o->s->ranks - from - !inclusive, false) &&
              sends_alike(o, from);
    return is;
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
