/* The memories of the ranks that call a random statement. */
#include "tests/core/statement/tree.h"

#include <stdlib.h>
#include <string.h>

static size_t row_of(const struct thing *t, int rank)
{
    size_t row = 1;

    for (int d = 1; d < t->dimensions; d++)
        row *= t->extents[rank][d];
    return row;
}

size_t thing_stride(const struct thing *t, int rank)
{
    return row_of(t, rank) + t->gap;
}

size_t thing_count(const struct thing *t, int rank)
{
    return t->dimensions > 0 ? t->extents[rank][0] * thing_stride(t, rank) : 1;
}

size_t thing_offset(const struct thing *t, int rank, size_t element)
{
    size_t row = row_of(t, rank);

    return t->gap > 0 ? element / row * thing_stride(t, rank) + element % row : element;
}

size_t thing_bytes(const struct thing *t, int rank)
{
    return t->kind == WM_BOUND_PLACE ? thing_count(t, rank) * t->element_bytes : 0;
}

/* Numbers of any size where nothing is said of them. */
static void fill_number(struct fuzz_random *random, const struct thing *t, void *to)
{
    static const double divisors[] = {4, 7, 1000};
    bool wide = !t->ranged && fuzz_chance(random, 10);

    if (type_is_real(t->type))
        value_store(value_real(t->type, ((double)fuzz_below(random, 801) - 400) / FUZZ_PICK(random, divisors)), to);
    else if (t->ranged)
        value_store(value_whole(t->type, t->low + (long)fuzz_below(random, (size_t)(t->high - t->low + 1))), to);
    else
        value_store(value_whole(t->type, wide ? (int64_t)fuzz_next(random) : (long)fuzz_below(random, 201) - 100), to);
}

static void fill_permutation(struct fuzz_random *random, const struct thing *t, char *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = fuzz_below(random, i + 1);

        memmove(to + i * t->element_bytes, to + at * t->element_bytes, t->element_bytes);
        value_store(value_whole(t->type, (__int128)i), to + at * t->element_bytes);
    }
}

static void fill_rank(struct fuzz_random *random, const struct thing *t, char *to, size_t count)
{
    if (t->permutation) {
        fill_permutation(random, t, to, count);
        return;
    }
    for (size_t i = 0; i < count; i++, to += t->element_bytes)
        if (t->type != WM_BYTES) {
            fill_number(random, t, to);
        } else if (t->element_bytes == 16) {
            value_store(value_whole(WM_INT64, (long)fuzz_below(random, 100)), to);
            value_store(value_real(WM_DOUBLE, (double)fuzz_below(random, 100)), to + 8);
        } else {
            for (size_t k = 0; k < t->element_bytes; k++)
                to[k] = (char)fuzz_below(random, 64);
        }
}

void memory_fill(struct memory *m, struct statement *s, int thing, unsigned ranks)
{
    const struct thing *t = &s->things[thing];
    uint64_t seed = fuzz_next(&s->random);

    for (int r = 0; r < s->ranks; r++) {
        struct fuzz_random own = {seed + (t->uniform ? 0 : (uint64_t)r)};

        if (t->kind == WM_BOUND_PLACE && (ranks >> r & 1) != 0)
            fill_rank(&own, t, m->at[r][thing], thing_count(t, r));
    }
}

/* Each place is a block of its own, so that a sanitizer sees what goes beyond it. */
void memory_new(struct memory *m, const struct statement *s)
{
    for (int r = 0; r < s->ranks; r++)
        for (int i = 0; i < s->thing_count; i++) {
            m->at[r][i] = NULL;
            if (s->things[i].kind == WM_BOUND_PLACE && (m->at[r][i] = malloc(thing_bytes(&s->things[i], r))) == NULL)
                abort();
        }
}

void memory_copy(struct memory *to, const struct memory *from, const struct statement *s)
{
    for (int r = 0; r < s->ranks; r++)
        for (int i = 0; i < s->thing_count; i++)
            if (s->things[i].kind == WM_BOUND_PLACE)
                memcpy(to->at[r][i], from->at[r][i], thing_bytes(&s->things[i], r));
}

void memory_free(struct memory *m, const struct statement *s)
{
    for (int r = 0; r < s->ranks; r++)
        for (int i = 0; i < s->thing_count; i++)
            free(m->at[r][i]);
}
