/* Messages of random statements: read, and given their places. */
#include "tests/core/statement/message.h"

#include <string.h>

struct message *message_add(struct messages *list, const struct message *like, int from, int to, int reduction)
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

void message_read(struct scope *c, struct message *m, const struct reduction *r)
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

void message_place(struct oracle *o, struct message *m)
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

/* A stable sort. */
void messages_sort(struct messages *list, bool received)
{
    for (size_t i = 1; i < list->count; i++) {
        struct message m = list->list[i];
        size_t at = i;

        for (; at > 0 && (received ? list->list[at - 1].from > m.from : list->list[at - 1].to > m.to); at--)
            list->list[at] = list->list[at - 1];
        list->list[at] = m;
    }
}
