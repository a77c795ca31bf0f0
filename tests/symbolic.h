/* Symbolic memory: buffers whose units hold not numbers but the account of whose contributions are in them.
 *
 * A unit's content is a symbol (whose contributions, combined how) and its origin (the offset that these had in the
 * call's data). Buffers are kept as spans, so that the cost depends on how a plan cuts its data, not on its size.
 * Under a commutative operator a symbol is a set of ranks, each at most once; else it is an interval of ranks, since a
 * sequence with a hole can never again become one without. Symbols are immutable and, like everything here, live in
 * an arena. No memory: the process ends with a sentence. */
#ifndef WM_TESTS_SYMBOLIC_H
#define WM_TESTS_SYMBOLIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

/* All zero at first. */
struct arena {
    struct arena_chunk *chunks, *spare;
};

/* Zeroed memory, until the arena is cleared. */
void *arena_take(struct arena *arena, size_t bytes);
/* Give everything back, but keep the storage for the next round. */
void arena_clear(struct arena *arena);
void arena_release(struct arena *arena);

struct symbol {
    int low, high;           /* lowest and highest rank */
    int count;               /* ranks in it */
    uint64_t expression;     /* equal for equal trees of combinations, the operands' sides apart if not commutative */
    const uint64_t *members; /* NULL unless commutative */
};

struct symbols {
    struct arena *arena;
    int ranks;
    bool commutative;
};

/* What rank `rank` brings. */
const struct symbol *symbol_leaf(const struct symbols *symbols, int rank);
/* left op right; NULL with *culprit a rank that is in both or, unless commutative, where the order breaks. */
const struct symbol *symbol_combine(const struct symbols *symbols, const struct symbol *left,
                                    const struct symbol *right, int *culprit);
/* A rank that is missing in the symbol, -1 when it has all. */
int symbol_missing(const struct symbols *symbols, const struct symbol *symbol);

/* Units low … high-1 hold `symbol`; unit `low` has origin `origin`. */
struct span {
    size_t low, high, origin;
    const struct symbol *symbol;
};

/* A buffer: its written spans, sorted and disjoint. */
struct memory {
    struct span *spans;
    int count, room;
};

/* The spans of `count` units from `offset` on, cut to fit, in `out` (offsets as in the buffer; storage is the arena's).
 * False with the first unit that was never written in *gap. */
bool memory_read(struct arena *arena, const struct memory *memory, size_t offset, size_t count, struct memory *out,
                 size_t *gap);
/* Replace `count` units from `offset` on by `content`, whose spans lie within them; what it leaves out is unwritten. */
void memory_write(struct arena *arena, struct memory *memory, size_t offset, size_t count,
                  const struct memory *content);
/* Move the spans of `content` by `to - from` units. */
void memory_shift(struct memory *content, size_t from, size_t to);

#endif
