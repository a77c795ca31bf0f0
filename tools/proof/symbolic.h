/* Symbolic memory: buffers whose units hold not numbers but the account of what is in them.
 *
 * A unit's content is an origin and a symbol. Where contributions are combined, the origin is the offset that they had
 * in the call's data, and the symbol says whose they are and combined how; where data is only moved, the origin is a
 * number of the unit among all that the ranks bring, and the symbol is NULL. Buffers are kept as spans, so that the
 * cost depends on how a plan cuts its data, not on its size. Under a commutative operator a symbol is a set of ranks,
 * each at most once; else it is an interval of ranks, since a sequence with a hole can never again become one without;
 * in a barrier it is a set to which a rank may come twice. Symbols are immutable and, like everything here, live in an
 * arena. */
#ifndef WM_PROOF_SYMBOLIC_H
#define WM_PROOF_SYMBOLIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/plan/plan.h"
#include "tools/proof/arena.h"

struct wm_symbol {
    int low, high;           /* lowest and highest rank; low > high: an interval that goes on behind the last rank
                                with the first */
    int count;               /* ranks in it */
    uint64_t expression;     /* equal for equal trees of combinations, the operands' sides apart if not commutative */
    const uint64_t *members; /* NULL unless they are a set, and not an interval: words low / 64 … high / 64 */
    const struct wm_symbol *operands[2]; /* that it was combined of; NULL: it was not */
};

enum wm_symbol_kind { WM_SYMBOL_SET, WM_SYMBOL_UNION /* of a barrier */, WM_SYMBOL_INTERVAL };

struct wm_symbols {
    struct wm_arena *arena;
    int ranks;
    enum wm_symbol_kind kind;
    const struct wm_symbol *
        *combined; /* a hash table by operands, so that the same two combined again are one symbol */
    size_t combined_count, combined_room;
};

/* What rank `rank` brings. */
const struct wm_symbol *wm_symbol_leaf(const struct wm_symbols *symbols, int rank);
/* left op right, the same symbol whenever these two are combined; NULL with *culprit a rank that is in both or, of
 * intervals, where the order breaks. */
const struct wm_symbol *wm_symbol_combine(struct wm_symbols *symbols, const struct wm_symbol *left,
                                          const struct wm_symbol *right, int *culprit);
/* The symbol of other ranks: each is turned by `by`, or flipped: rank ^ by. */
const struct wm_symbol *wm_symbol_moved(const struct wm_symbols *symbols, const struct wm_symbol *symbol, bool flipped,
                                        int by);
/* Of the ranks low … high, one that is missing in the symbol; else one that is in it and not among them; else -1. */
int wm_symbol_differs(const struct wm_symbol *symbol, int low, int high);

/* Units low … high-1; unit `low` has origin `origin`. Where stride.block is not 0, they are two blocks of so many units
 * or more, whose origins are stride.distance apart, modulo the range of size_t. */
struct wm_proof_span {
    size_t low, high, origin;
    const struct wm_symbol *symbol;
    struct wm_stride stride;
};

/* A span of one range of origins. */
struct wm_proof_span wm_span(size_t low, size_t high, size_t origin, const struct wm_symbol *symbol);
/* The part of the span from unit `low` on, up to `high` or its end, as far as that is one span; of one range, that one
 * alone: as far as it is one range. */
struct wm_proof_span wm_span_part(const struct wm_proof_span *span, size_t low, size_t high);
struct wm_proof_span wm_span_range(const struct wm_proof_span *span, size_t low, size_t high);

/* A buffer: its written spans, sorted and disjoint; neighbours that continue one another are one. The last `tail` of
 * them stand at the end of the room, and none does where nothing but appended: what is written side by side moves few.
 */
struct wm_proof_memory {
    struct wm_proof_span *spans;
    int count, room, tail;
};

/* Put a span behind all others. */
void wm_memory_append(struct wm_arena *arena, struct wm_proof_memory *memory, struct wm_proof_span span);
/* The spans of `count` units from `offset` on, cut to fit, in `out` (offsets as in the buffer; storage is the arena's).
 * False with the first unit that was never written in *gap. */
bool wm_memory_read(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t offset, size_t count,
                    struct wm_proof_memory *out, size_t *gap);
/* The same of `count` units in blocks, the first at `offset`, as they stand one behind the other from `to` on. */
bool wm_memory_gather(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t offset,
                      struct wm_stride stride, size_t count, size_t to, struct wm_proof_memory *out, size_t *gap);
/* Replace `count` units from `offset` on by `content`, whose spans lie within them; what it leaves out is unwritten. */
void wm_memory_write(struct wm_arena *arena, struct wm_proof_memory *memory, size_t offset, size_t count,
                     const struct wm_proof_memory *content);
/* Is no unit of the range known to come of another tree than `symbol`? Those that are written are known. */
bool wm_memory_agrees(const struct wm_proof_memory *memory, size_t offset, size_t count,
                      const struct wm_symbol *symbol);
/* Move the spans of `content` by `to - from` units. */
void wm_memory_shift(struct wm_proof_memory *content, size_t from, size_t to);

#endif
