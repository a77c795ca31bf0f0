/* A graph like those of the Graph 500 benchmark, edge by edge. */
#include "examples/convey/kronecker.h"
#include "examples/convey/random.h"

/* The benchmark's probabilities of the four quarters of the adjacency matrix, in 1/100: 57, 19, 19, 5. */
static int quarter(uint64_t number)
{
    unsigned percent = (unsigned)(number % 100);

    return percent < 57 ? 0 : percent < 76 ? 1 : percent < 95 ? 2 : 3;
}

static struct entry edge(const struct kronecker *k, int64_t number)
{
    struct entry e = {0, 0};

    for (int bit = 0; bit < k->scale; bit++) {
        int q = quarter(random_at(k->seed, bit, number));

        e.row |= (int64_t)(q >> 1) << bit;
        e.column |= (int64_t)(q & 1) << bit;
    }
    e.row = random_shuffled(k->seed, -1, e.row, (int)k->scale);
    e.column = random_shuffled(k->seed, -1, e.column, (int)k->scale);
    return e;
}

static struct entry turned(struct entry e)
{
    return (struct entry){e.column, e.row};
}

static bool make_edge(const void *context, int64_t number, struct entry *entry)
{
    *entry = edge(context, number / 2);
    if (number % 2 == 1)
        *entry = turned(*entry);
    return entry->row != entry->column;
}

static bool make_lower(const void *context, int64_t number, struct entry *entry)
{
    *entry = edge(context, number);
    if (entry->row < entry->column)
        *entry = turned(*entry);
    return entry->row != entry->column;
}

struct generator kronecker_edges(const struct kronecker *k)
{
    return (struct generator){make_edge, k, INT64_C(1) << k->scale, 2 * k->degree << k->scale, true};
}

struct generator kronecker_lower(const struct kronecker *k)
{
    return (struct generator){make_lower, k, INT64_C(1) << k->scale, k->degree << k->scale, true};
}
