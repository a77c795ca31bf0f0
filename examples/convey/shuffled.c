/* An upper triangular sparse matrix whose rows and columns are shuffled, and whether they were brought in order. */
#include <stdlib.h>
#include "examples/convey/dealt.h"
#include "examples/convey/random.h"
#include "examples/convey/shuffled.h"

/* The first 2^scale entries are the diagonal, the others stand right of it. */
static bool make_entry(const void *context, int64_t number, struct entry *entry)
{
    const struct shuffled *s = context;
    int64_t rows = INT64_C(1) << s->scale, row = number % rows, column = row;

    if (number >= rows && row == rows - 1)
        return false;
    if (number >= rows)
        column = row + 1 + random_below(s->seed, 0, number, rows - row - 1);
    entry->row = random_shuffled(s->seed, -1, row, (int)s->scale);
    entry->column = random_shuffled(s->seed, -2, column, (int)s->scale);
    return true;
}

static bool make_turned(const void *context, int64_t number, struct entry *entry)
{
    struct entry straight;
    bool there = make_entry(context, number, &straight);

    *entry = (struct entry){straight.column, straight.row};
    return there;
}

struct generator shuffled_entries(const struct shuffled *s)
{
    return (struct generator){make_entry, s, INT64_C(1) << s->scale, s->degree << s->scale, false};
}

struct generator shuffled_turned(const struct shuffled *s)
{
    return (struct generator){make_turned, s, INT64_C(1) << s->scale, s->degree << s->scale, false};
}

/* At rank 0: positions that are out of range or taken. */
static int64_t not_permuted(const struct job *job, const int64_t *position, int64_t rows)
{
    char *taken = job_memory(job, rows, 1);
    int64_t wrong = 0;

    for (int64_t i = 0; i < rows; i++)
        wrong += position[i] < 0 || position[i] >= rows || taken[position[i]]++ > 0;
    free(taken);
    return wrong;
}

int64_t shuffled_faults(const struct job *job, const struct generator *g, const int64_t *row_position,
                        const int64_t *column_position)
{
    int64_t *row = dealt_gather(job, row_position, g->rows);
    int64_t *column = dealt_gather(job, column_position, g->rows);
    struct entry entry;
    int64_t wrong;

    if (row == NULL)
        return 0;
    wrong = not_permuted(job, row, g->rows) + not_permuted(job, column, g->rows);
    for (int64_t number = 0; number < g->entries; number++)
        wrong += g->make(g->context, number, &entry) && row[entry.row] > column[entry.column];
    free(row);
    free(column);
    return wrong;
}
