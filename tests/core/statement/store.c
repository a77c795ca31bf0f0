/* What a statement means, found without the code under test: its messages are stored. */
#include <string.h>
#include "tests/core/statement/functions.h"
#include "tests/core/statement/oracle.h"

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
