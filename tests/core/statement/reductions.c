/* The reductions of a random statement: well-typed, and mostly without a fault. */
#include "tests/core/statement/functions.h"
#include "tests/core/statement/generate.h"

/* ---- places ---- */

/* A slice of `length` elements, in an extent that may be greater at other ranks. */
static void generate_slice(struct statement *s, struct node *n, int d, long extent, long length)
{
    long beyond = fuzz_chance(&s->random, 4);
    struct node *from = generate_bounded(s, extent - length + 1 + beyond, 1);

    n->kids[2 * d] = from;
    n->kids[2 * d + 1] = from->kind == NODE_CONSTANT
                             ? node_constant(s, WM_INT32, (double)(long)from->value.whole + (double)length)
                             : node_binary(s, '+', from, node_constant(s, WM_INT32, (double)length));
}

struct node *generate_section(struct statement *s, int thing, size_t *count)
{
    const struct thing *t = &s->things[thing];
    struct node *n = node_new(s, NODE_PLACE, t->type);
    bool whole = true;

    n->index = thing;
    *count = 1;
    for (int d = t->dimensions - 1; d >= 0; d--) {
        long extent = (long)least_extent(s, t, d), length;

        whole &= fuzz_chance(&s->random, 50);
        if (whole) {
            *count *= (size_t)extent;
        } else if (fuzz_chance(&s->random, 50)) {
            n->kids[2 * d] = generate_bounded(s, extent, 2);
        } else {
            length = fuzz_chance(&s->random, 3) ? 0 : 1 + (long)fuzz_below(&s->random, (size_t)extent);
            generate_slice(s, n, d, extent, length);
            *count *= (size_t)length;
        }
    }
    return n;
}

static bool is_single(const struct statement *s, const struct node *n)
{
    for (int d = 0; d < s->things[n->index].dimensions; d++)
        if (n->kids[2 * d] == NULL || n->kids[2 * d + 1] != NULL)
            return false;
    return true;
}

/* ---- reductions ---- */

static bool is_place(const struct thing *t, const void *with)
{
    (void)with;
    return t->kind == WM_BOUND_PLACE;
}

static bool is_sendable(const struct thing *t, const void *with)
{
    const struct thing *storage = with;

    if (t->kind != WM_BOUND_PLACE)
        return false;
    if (storage->type == WM_BYTES || t->type == WM_BYTES)
        return t->type == storage->type && t->struct_type == storage->struct_type;
    return t->type == storage->type || (t->type == WM_FLOAT && storage->type == WM_DOUBLE) ||
           (t->ranged && (type_is_real(storage->type) || t->low >= (long)type_least(storage->type)));
}

static bool combines(const struct thing *t, const void *with)
{
    const struct thing *storage = with;
    const struct function_row *row = t->function >= 0 ? &functions[t->function] : NULL;

    if (storage->type == WM_BYTES)
        return t->kind == WM_BOUND_COMBINE;
    return row != NULL && row->count == 2 && row->argument == storage->type && row->result == storage->type;
}

void generate_operator(struct statement *s, struct reduction *r)
{
    static const char *const texts[] = {"+", "+", "*", "min", "max", "&&", "||", "&", "|", "^"};
    const struct thing *storage = &s->things[r->storage->index];

    r->text = "<<=";
    r->bound = -1;
    if (fuzz_chance(&s->random, 50))
        return;
    if (storage->type == WM_BYTES || fuzz_chance(&s->random, 40))
        r->bound = pick_thing(s, combines, storage);
    if (storage->type != WM_BYTES && r->bound < 0)
        r->text = texts[fuzz_below(&s->random, type_is_real(storage->type) ? 7 : 10)];
}

/* The first `length` elements of a slice of the last dimension, which has room for `most`. */
static struct node *generate_row(struct statement *s, int thing, struct node *length, long most)
{
    struct node *n = generate_element(s, thing, 1);
    int d = s->things[thing].dimensions - 1;

    generate_slice(s, n, d, (long)least_extent(s, &s->things[thing], d), most);
    n->kids[2 * d + 1] = node_binary(s, '+', n->kids[2 * d], length);
    return n;
}

void generate_ends(struct statement *s, struct reduction *r)
{
    int to = pick_thing(s, is_place, NULL), from = pick_thing(s, is_sendable, &s->things[to]);
    size_t stored, sent;

    if (fuzz_chance(&s->random, 40) && s->things[to].dimensions > 0 && s->things[from].dimensions > 0) {
        r->storage = generate_section(s, to, &stored);
        for (int i = 0; i < 12 && !is_single(s, r->storage); i++) {
            r->data = generate_section(s, from, &sent);
            if (!is_single(s, r->data) && (sent == stored || fuzz_chance(&s->random, 1)))
                return;
        }
    }
    r->storage = generate_element(s, to, 2);
    r->data = s->things[to].type == WM_BYTES ? generate_element(s, from, 2) : generate_data(s, s->things[to].type);
}

static bool is_array(const struct thing *t, const void *with)
{
    return is_place(t, with) && t->dimensions > 0;
}

/* "A[i ... i + k]@r <<= B[j ... j + k]@s": messages of different lengths, on which the ends do not always agree. */
static void generate_rows(struct statement *s, struct reduction *r)
{
    int to = pick_thing(s, is_array, NULL), sent = pick_thing(s, is_sendable, &s->things[to]);
    int from = s->things[sent].dimensions > 0 ? sent : to;
    long stored_row = (long)least_extent(s, &s->things[to], s->things[to].dimensions - 1);
    long sent_row = (long)least_extent(s, &s->things[from], s->things[from].dimensions - 1);
    long most = sent_row < stored_row ? sent_row : stored_row;
    struct node *length = generate_bounded(s, most + 1, 1);

    r->data = generate_row(s, from, length, most);
    r->storage = generate_row(s, to, fuzz_chance(&s->random, 90) ? length : generate_bounded(s, most + 1, 1), most);
}

/* "A@(i + 1) … where …, i + 1 < ranks": what the filter excludes is not to be evaluated. */
static struct node *generate_neighbour(struct statement *s)
{
    for (int v = 0; v < s->variable_count && s->clause_count < CLAUSES_MAX; v++)
        if (s->variables[v].ranged && s->variables[v].low >= 0 && s->variables[v].high < s->ranks) {
            struct node *next = node_binary(s, '+', node_variable(s, v), node_constant(s, WM_INT32, 1));

            clause_new(s, CLAUSE_FILTER)->from = node_binary(s, '<', next, node_new(s, NODE_RANKS, WM_INT32));
            return next;
        }
    return generate_bounded(s, s->ranks, 2);
}

static bool is_owner(const struct thing *t, const void *with)
{
    (void)with;
    return t->function == FUNCTION_owner;
}

static struct node *node_owner(struct statement *s, int variable)
{
    struct node *call = node_new(s, NODE_CALL, WM_INT32);

    call->index = pick_thing(s, is_owner, NULL);
    call->kids[0] = node_variable(s, variable);
    return node_binary(s, '%', call, node_new(s, NODE_RANKS, WM_INT32));
}

static bool is_permutation(const struct thing *t, const void *with)
{
    (void)with;
    return t->permutation;
}

static struct node *node_permuted(struct statement *s, int variable)
{
    int thing = pick_thing(s, is_permutation, NULL);
    struct node *n = node_new(s, NODE_PLACE, s->things[thing].type);

    n->index = thing;
    n->kids[0] = node_variable(s, variable);
    return n;
}

/* "A@(owner(k) % ranks) … where …, k >= 0", or A@perm[k]: a function that must not be called with what a filter
 * excludes, an element that there is not; now and then the filter is forgotten. */
static struct node *generate_owned(struct statement *s)
{
    for (int v = 0; v < s->variable_count && s->clause_count < CLAUSES_MAX; v++)
        if (s->variables[v].ranged && s->variables[v].low < 0 && !type_is_real(s->variables[v].type)) {
            bool owner = fuzz_chance(&s->random, 50);
            struct node *rank = owner ? node_owner(s, v) : node_permuted(s, v);
            struct node *holds = node_binary(s, OP_GREATER_EQUAL, node_variable(s, v), node_constant(s, WM_INT32, 0));

            if (!owner)
                holds = node_binary(s, OP_AND, holds,
                                    node_binary(s, '<', node_variable(s, v), node_new(s, NODE_RANKS, WM_INT32)));
            if (owner || fuzz_chance(&s->random, 80))
                clause_new(s, CLAUSE_FILTER)->from = holds;
            return rank;
        }
    return generate_bounded(s, s->ranks, 2);
}

static struct node *generate_rank(struct statement *s, bool sends)
{
    switch (fuzz_below(&s->random, 12)) {
    case 0:
        return generate_neighbour(s);
    case 1:
        return generate_owned(s);
    case 2:
        return sends ? generate_bounded(s, s->ranks + 2, 2) : generate_bounded(s, s->ranks, 3);
    case 3:
    case 4:
    case 5:
        return generate_bounded(s, s->ranks, 2);
    default:
        return generate_bounded(s, s->ranks, 0);
    }
}

void generate_reduction(struct statement *s)
{
    struct reduction *r = &s->reductions[s->reduction_count++];
    struct fuzz_random own = {~s->random.state}; /* others stay as their seeds make them */

    if (fuzz_chance(&own, 15))
        generate_rows(s, r);
    else
        generate_ends(s, r);
    generate_operator(s, r);
    r->receiver = fuzz_chance(&s->random, 1) ? generate_integer(s, 2) : generate_rank(s, false);
    r->sender = generate_rank(s, true);
}
