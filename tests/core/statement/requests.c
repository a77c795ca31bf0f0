/* What a statement means whose receivers alone know of its messages. */
#include <string.h>
#include "tests/core/statement/message.h"

/* The receiver evaluates all but the data, which the sender reads under the receiver's variables. */
static void list_reduction(struct oracle *o, int rank, int reduction)
{
    const struct reduction *r = &o->s->reductions[reduction];

    for (size_t i = 0; i < o->assigned_count; i++) {
        struct scope c = {.o = o, .rank = rank};
        struct message *m;
        __int128 from, to;

        memcpy(c.variables, o->assigned[i].variables, sizeof c.variables);
        to = scope_rank(&c, r->receiver);
        from = scope_rank(&c, r->sender);
        o->faulty[rank] |= c.fault;
        if (c.fault || to != rank || from < 0 || from >= o->s->ranks)
            continue;
        m = message_add(&o->sends[rank], &o->assigned[i], (int)from, rank, reduction);
        c.rank = (int)from;
        message_read(&c, m, r);
        m->unreadable |= c.fault;
        message_place(o, m);
    }
}

void oracle_list_requests(struct oracle *o, struct statement *s, const struct memory *memory)
{
    oracle_begin(o, s, memory);
    for (int r = 0; r < s->ranks; r++) {
        if (!oracle_assign(o, r))
            return;
        for (int k = 0; k < s->reduction_count; k++)
            list_reduction(o, r, k);
        messages_sort(&o->sends[r], true);
    }
}
