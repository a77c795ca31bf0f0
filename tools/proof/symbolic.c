/* Symbolic memory: symbols and spans. */
#include "tools/proof/symbolic.h"

#include <string.h>
#include "core/hash.h"
#include "core/search.h"

static size_t set_words(const struct wm_symbols *symbols)
{
    return (size_t)(symbols->ranks + 63) / 64;
}

const struct wm_symbol *wm_symbol_leaf(const struct wm_symbols *symbols, int rank)
{
    struct wm_symbol *symbol = wm_arena_take(symbols->arena, sizeof *symbol);

    *symbol = (struct wm_symbol){rank, rank, 1, wm_hash_scatter((uint64_t)rank + 1), NULL};
    return symbol;
}

static bool has(const struct wm_symbol *symbol, int rank)
{
    return rank >= symbol->low && rank <= symbol->high &&
           (symbol->members == NULL || (symbol->members[rank / 64] >> (rank % 64) & 1));
}

/* Write the symbol's ranks low … high of it into a set. */
static void put_interval(uint64_t *members, int low, int high)
{
    for (int rank = low; rank <= high;) {
        int end = rank / 64 * 64 + 63 < high ? rank / 64 * 64 + 63 : high;

        members[rank / 64] |= ~UINT64_C(0) << (rank % 64) & ~UINT64_C(0) >> (63 - end % 64);
        rank = end + 1;
    }
}

static const uint64_t *set_of(const struct wm_symbols *symbols, const struct wm_symbol *symbol)
{
    uint64_t *members;

    if (symbol->members != NULL)
        return symbol->members;
    members = wm_arena_take(symbols->arena, set_words(symbols) * sizeof *members);
    put_interval(members, symbol->low, symbol->high);
    return members;
}

/* Neighbouring intervals make an interval; anything else takes a set. */
static bool unite(const struct wm_symbols *symbols, struct wm_symbol *symbol, const struct wm_symbol *left,
                  const struct wm_symbol *right, int *culprit)
{
    const uint64_t *a, *b;
    uint64_t *members;

    if (left->members == NULL && right->members == NULL &&
        (left->high + 1 == right->low || right->high + 1 == left->low))
        return true;
    a = set_of(symbols, left);
    b = set_of(symbols, right);
    members = wm_arena_take(symbols->arena, set_words(symbols) * sizeof *members);
    for (size_t w = 0; w < set_words(symbols); w++) {
        uint64_t both = a[w] & b[w];

        if (both != 0 && symbols->kind != WM_SYMBOL_UNION) {
            *culprit = (int)w * 64 + __builtin_ctzll(both);
            return false;
        }
        members[w] = a[w] | b[w];
        symbol->count -= __builtin_popcountll(both);
    }
    symbol->members = symbol->high - symbol->low + 1 == symbol->count ? NULL : members;
    return true;
}

const struct wm_symbol *wm_symbol_combine(const struct wm_symbols *symbols, const struct wm_symbol *left,
                                          const struct wm_symbol *right, int *culprit)
{
    struct wm_symbol *symbol = wm_arena_take(symbols->arena, sizeof *symbol);
    bool sides = symbols->kind == WM_SYMBOL_INTERVAL, swap = !sides && left->expression > right->expression;
    const struct wm_symbol *first = swap ? right : left, *second = swap ? left : right;

    symbol->low = left->low < right->low ? left->low : right->low;
    symbol->high = left->high > right->high ? left->high : right->high;
    symbol->count = left->count + right->count;
    symbol->expression = wm_hash_scatter(wm_hash_scatter(first->expression) + 3 * second->expression);
    if (!sides)
        return unite(symbols, symbol, left, right, culprit) ? symbol : NULL;
    *culprit = right->low;
    return left->high + 1 == right->low ? symbol : NULL;
}

int wm_symbol_differs(const struct wm_symbol *symbol, int low, int high)
{
    if (symbol->low == low && symbol->high == high && symbol->count == high - low + 1)
        return -1;
    for (int rank = low; rank <= high; rank++)
        if (!has(symbol, rank))
            return rank;
    return symbol->low < low ? symbol->low : symbol->high;
}

static void grow(struct wm_arena *arena, struct wm_proof_memory *memory, int count)
{
    int room = memory->room > 0 ? memory->room : 4;
    struct wm_proof_span *grown;

    if (count <= memory->room)
        return;
    while (room < count)
        room *= 2;
    grown = wm_arena_take(arena, sizeof *grown * (size_t)room);
    if (memory->count > 0)
        memcpy(grown, memory->spans, sizeof *grown * (size_t)memory->count);
    memory->spans = grown;
    memory->room = room;
}

static bool continues(const struct wm_proof_span *left, const struct wm_proof_span *right)
{
    return left->high == right->low && left->symbol == right->symbol &&
           left->origin + (left->high - left->low) == right->origin;
}

void wm_memory_append(struct wm_arena *arena, struct wm_proof_memory *memory, struct wm_proof_span span)
{
    if (span.low == span.high)
        return;
    if (memory->count > 0 && continues(&memory->spans[memory->count - 1], &span)) {
        memory->spans[memory->count - 1].high = span.high;
        return;
    }
    grow(arena, memory, memory->count + 1);
    memory->spans[memory->count++] = span;
}

static struct wm_proof_span cut(struct wm_proof_span span, size_t low, size_t high)
{
    if (span.low < low) {
        span.origin += low - span.low;
        span.low = low;
    }
    if (span.high > high)
        span.high = high;
    return span;
}

/* First span that ends above `offset`. */
static int find_span(const struct wm_proof_memory *memory, size_t offset)
{
    return (int)WM_COUNT_WHILE(i, memory->count, memory->spans[i].high <= offset);
}

bool wm_memory_read(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t offset, size_t count,
                    struct wm_proof_memory *out, size_t *gap)
{
    size_t at = offset, end = offset + count;

    *out = (struct wm_proof_memory){0};
    for (int i = find_span(memory, offset); at < end && i < memory->count && memory->spans[i].low <= at; i++) {
        grow(arena, out, out->count + 1);
        out->spans[out->count++] = cut(memory->spans[i], at, end);
        at = memory->spans[i].high;
    }
    *gap = at;
    return at >= end;
}

/* Let the span before `at` swallow it, if the two continue one another. */
static void join(struct wm_proof_memory *memory, int at)
{
    if (at <= 0 || at >= memory->count || !continues(&memory->spans[at - 1], &memory->spans[at]))
        return;
    memory->spans[at - 1].high = memory->spans[at].high;
    memory->count--;
    memmove(&memory->spans[at], &memory->spans[at + 1], sizeof *memory->spans * (size_t)(memory->count - at));
}

/* Spans first … last-1 are touched: what stands out of the range of the first and the last stays. */
void wm_memory_write(struct wm_arena *arena, struct wm_proof_memory *memory, size_t offset, size_t count,
                     const struct wm_proof_memory *content)
{
    size_t end = offset + count;
    int first = find_span(memory, offset), last = first, added = content->count, tail;
    struct wm_proof_span left = {0}, right = {0};

    while (last < memory->count && memory->spans[last].low < end)
        last++;
    if (last > first && memory->spans[first].low < offset)
        left = cut(memory->spans[first], 0, offset);
    if (last > first && memory->spans[last - 1].high > end)
        right = cut(memory->spans[last - 1], end, SIZE_MAX);
    added += (left.high > 0) + (right.high > 0);
    tail = memory->count - last;
    grow(arena, memory, first + added + tail);
    if (tail > 0)
        memmove(&memory->spans[first + added], &memory->spans[last], sizeof *memory->spans * (size_t)tail);
    if (left.high > 0)
        memory->spans[first++] = left;
    for (int i = 0; i < content->count; i++)
        memory->spans[first++] = content->spans[i];
    if (right.high > 0)
        memory->spans[first++] = right;
    memory->count = first + tail;
    first -= right.high > 0;
    join(memory, first);
    join(memory, first - content->count);
}

void wm_memory_shift(struct wm_proof_memory *content, size_t from, size_t to)
{
    for (int i = 0; i < content->count; i++) {
        content->spans[i].low += to - from;
        content->spans[i].high += to - from;
    }
}
