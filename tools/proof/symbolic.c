/* Symbolic memory: symbols and spans. */
#include "tools/proof/symbolic.h"

#include <string.h>
#include "core/hash.h"
#include "core/search.h"

enum { COMBINED_ROOM = 64 };

const struct wm_symbol *wm_symbol_leaf(const struct wm_symbols *symbols, int rank)
{
    struct wm_symbol *symbol = wm_arena_take(symbols->arena, sizeof *symbol);

    *symbol =
        (struct wm_symbol){.low = rank, .high = rank, .count = 1, .expression = wm_hash_scatter((uint64_t)rank + 1)};
    return symbol;
}

/* The ranks low … high among the 64 of word `word`. */
static uint64_t interval_word(int low, int high, int word)
{
    int first = word * 64, from = low > first ? low - first : 0, to = high - first < 63 ? high - first : 63;

    return from > to ? 0 : ~UINT64_C(0) << from & ~UINT64_C(0) >> (63 - to);
}

/* The symbol's ranks among the 64 of word `word`. */
static uint64_t symbol_word(const struct wm_symbol *symbol, int word)
{
    int end = symbol->low + symbol->count - symbol->high - 2; /* the last rank of all, where it turns there */

    if (symbol->low > symbol->high)
        return interval_word(symbol->low, end, word) | interval_word(0, symbol->high, word);
    if (symbol->members == NULL)
        return interval_word(symbol->low, symbol->high, word);
    return word < symbol->low / 64 || word > symbol->high / 64 ? 0 : symbol->members[word - symbol->low / 64];
}

static bool has(const struct wm_symbol *symbol, int rank)
{
    return symbol_word(symbol, rank / 64) >> (rank % 64) & 1;
}

/* The lowest and the highest rank of a set, whose words are those from `first` to `last`. It is an interval if none is
 * missing between. */
static void settle(struct wm_symbol *symbol, const uint64_t *members, int first, int last)
{
    int base = first;

    while (members[first - base] == 0)
        first++;
    while (members[last - base] == 0)
        last--;
    symbol->low = first * 64 + __builtin_ctzll(members[first - base]);
    symbol->high = last * 64 + 63 - __builtin_clzll(members[last - base]);
    symbol->members = symbol->high - symbol->low + 1 == symbol->count ? NULL : &members[first - base];
}

/* The words that the symbol's ranks lie in: first … last. */
static void find_words(const struct wm_symbols *symbols, const struct wm_symbol *symbol, int *first, int *last)
{
    bool turns = symbol->low > symbol->high;

    *first = turns ? 0 : symbol->low / 64;
    *last = (turns ? symbols->ranks - 1 : symbol->high) / 64;
}

/* An interval from `low` on, of as many ranks as the symbol has. */
static void set_interval(const struct wm_symbols *symbols, struct wm_symbol *symbol, int low)
{
    symbol->low = symbol->count == symbols->ranks ? 0 : low;
    symbol->high = (symbol->low + symbol->count - 1) % symbols->ranks;
    symbol->members = NULL;
}

/* Does `right` begin where `left` ends? */
static bool adjoin(const struct wm_symbols *symbols, const struct wm_symbol *left, const struct wm_symbol *right)
{
    return left->members == NULL && right->members == NULL && (left->high + 1) % symbols->ranks == right->low &&
           left->count + right->count <= symbols->ranks;
}

/* Neighbouring intervals make an interval; anything else takes a set. */
static bool unite(const struct wm_symbols *symbols, struct wm_symbol *symbol, const struct wm_symbol *left,
                  const struct wm_symbol *right, int *culprit)
{
    uint64_t *members;
    int first, last, other_first, other_last;

    if (adjoin(symbols, left, right) || adjoin(symbols, right, left)) {
        set_interval(symbols, symbol, adjoin(symbols, left, right) ? left->low : right->low);
        return true;
    }
    find_words(symbols, left, &first, &last);
    find_words(symbols, right, &other_first, &other_last);
    first = other_first < first ? other_first : first;
    last = other_last > last ? other_last : last;
    members = wm_arena_take(symbols->arena, (size_t)(last - first + 1) * sizeof *members);
    for (int w = first; w <= last; w++) {
        uint64_t a = symbol_word(left, w), b = symbol_word(right, w), both = a & b;

        members[w - first] = a | b;
        if (both == 0)
            continue;
        if (symbols->kind != WM_SYMBOL_UNION) {
            *culprit = w * 64 + __builtin_ctzll(both);
            return false;
        }
        symbol->count -= __builtin_popcountll(both);
    }
    settle(symbol, members, first, last);
    return true;
}

/* Where the symbol of the two operands stands, or is to stand. */
static const struct wm_symbol **find_combined(const struct wm_symbols *symbols, uint64_t expression,
                                              const struct wm_symbol *first, const struct wm_symbol *second)
{
    size_t mask = symbols->combined_room - 1, slot = (size_t)expression & mask;
    const struct wm_symbol *found;

    while ((found = symbols->combined[slot]) != NULL && (found->operands[0] != first || found->operands[1] != second))
        slot = (slot + 1) & mask;
    return &symbols->combined[slot];
}

/* Let there be room for one more, and as much again. */
static void grow_combined(struct wm_symbols *symbols)
{
    const struct wm_symbol **old = symbols->combined;
    size_t old_room = symbols->combined_room;

    if (2 * (symbols->combined_count + 1) <= old_room)
        return;
    symbols->combined_room = old_room > 0 ? 2 * old_room : COMBINED_ROOM;
    symbols->combined = wm_arena_take(symbols->arena, sizeof *old * symbols->combined_room);
    for (size_t i = 0; i < old_room; i++)
        if (old[i] != NULL)
            *find_combined(symbols, old[i]->expression, old[i]->operands[0], old[i]->operands[1]) = old[i];
}

/* A new symbol of whose contributions both have. */
static struct wm_symbol *merge(const struct wm_symbols *symbols, const struct wm_symbol *left,
                               const struct wm_symbol *right, int *culprit)
{
    struct wm_symbol *symbol = wm_arena_take(symbols->arena, sizeof *symbol);

    symbol->low = left->low < right->low ? left->low : right->low;
    symbol->high = left->high > right->high ? left->high : right->high;
    symbol->count = left->count + right->count;
    if (symbols->kind != WM_SYMBOL_INTERVAL)
        return unite(symbols, symbol, left, right, culprit) ? symbol : NULL;
    *culprit = right->low;
    return left->high + 1 == right->low ? symbol : NULL;
}

const struct wm_symbol *wm_symbol_combine(struct wm_symbols *symbols, const struct wm_symbol *left,
                                          const struct wm_symbol *right, int *culprit)
{
    bool swap = symbols->kind != WM_SYMBOL_INTERVAL && left->expression > right->expression;
    const struct wm_symbol *first = swap ? right : left, *second = swap ? left : right, **slot;
    uint64_t expression = wm_hash_scatter(wm_hash_scatter(first->expression) + 3 * second->expression);
    struct wm_symbol *both;

    grow_combined(symbols);
    slot = find_combined(symbols, expression, first, second);
    if (*slot != NULL)
        return *slot;
    both = merge(symbols, left, right, culprit);
    if (both == NULL)
        return NULL;
    both->expression = expression;
    both->operands[0] = first;
    both->operands[1] = second;
    symbols->combined_count++;
    return *slot = both;
}

static int move_rank(const struct wm_symbols *symbols, int rank, bool flipped, int by)
{
    return flipped ? rank ^ by : (rank + by) % symbols->ranks;
}

const struct wm_symbol *wm_symbol_moved(const struct wm_symbols *symbols, const struct wm_symbol *symbol, bool flipped,
                                        int by)
{
    struct wm_symbol *moved = wm_arena_take(symbols->arena, sizeof *moved);
    uint64_t *members;
    int last;

    *moved = *symbol;
    moved->expression = wm_hash_scatter(symbol->expression + 5 * (uint64_t)by);
    if (symbol->members == NULL && (!flipped || symbol->count == 1)) {
        set_interval(symbols, moved, move_rank(symbols, symbol->low, flipped, by));
        return moved;
    }
    last = (symbols->ranks - 1) / 64;
    members = wm_arena_take(symbols->arena, ((size_t)last + 1) * sizeof *members);
    for (int rank = 0; rank < symbols->ranks; rank++)
        if (has(symbol, rank)) {
            int to = move_rank(symbols, rank, flipped, by);

            members[to / 64] |= UINT64_C(1) << (to % 64);
        }
    settle(moved, members, 0, last);
    return moved;
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

static struct wm_proof_span *span_at(const struct wm_proof_memory *memory, int i)
{
    return &memory->spans[i < memory->count - memory->tail ? i : i + memory->room - memory->count];
}

static void grow(struct wm_arena *arena, struct wm_proof_memory *memory, int count)
{
    int room = memory->room > 0 ? memory->room : 4, head = memory->count - memory->tail;
    struct wm_proof_span *grown;

    if (count <= memory->room)
        return;
    while (room < count)
        room *= 2;
    grown = wm_arena_take(arena, sizeof *grown * (size_t)room);
    if (head > 0)
        memcpy(grown, memory->spans, sizeof *grown * (size_t)head);
    if (memory->tail > 0)
        memcpy(&grown[room - memory->tail], &memory->spans[memory->room - memory->tail],
               sizeof *grown * (size_t)memory->tail);
    memory->spans = grown;
    memory->room = room;
}

/* Bring the room before span `at`. */
static void move_room(struct wm_proof_memory *memory, int at)
{
    int head = memory->count - memory->tail, room = memory->room - memory->count;

    if (at < head)
        memmove(&memory->spans[at + room], &memory->spans[at], sizeof *memory->spans * (size_t)(head - at));
    else if (at > head)
        memmove(&memory->spans[head], &memory->spans[head + room], sizeof *memory->spans * (size_t)(at - head));
    memory->tail = memory->count - at;
}

struct wm_proof_span wm_span(size_t low, size_t high, size_t origin, const struct wm_symbol *symbol)
{
    return (struct wm_proof_span){low, high, origin, symbol, {0, 0, 0}};
}

struct wm_proof_span wm_span_range(const struct wm_proof_span *span, size_t low, size_t high)
{
    size_t block = span->stride.block > 0 ? span->stride.block : span->high - span->low;
    size_t number = (low - span->low) / block, within = (low - span->low) % block, end = low + block - within;

    high = high < span->high ? high : span->high;
    return wm_span(low, high < end ? high : end, span->origin + number * span->stride.distance + within, span->symbol);
}

struct wm_proof_span wm_span_part(const struct wm_proof_span *span, size_t low, size_t high)
{
    struct wm_proof_span part = wm_span_range(span, low, high);
    size_t block = span->stride.block, units = (high < span->high ? high : span->high) - low;

    if (block > 0 && part.high - part.low == block && units >= 2 * block) {
        part.high = low + units / block * block;
        part.stride = span->stride;
    }
    return part;
}

static size_t block_of(const struct wm_proof_span *span)
{
    return span->stride.block > 0 ? span->stride.block : span->high - span->low;
}

/* Let `left` be both, if they can be one span. */
static bool unite_spans(struct wm_proof_span *left, const struct wm_proof_span *right)
{
    size_t block = block_of(left), blocks = (left->high - left->low) / block;
    bool one = left->stride.block == 0, other_one = right->stride.block == 0;
    size_t distance = !one ? left->stride.distance : !other_one ? right->stride.distance : right->origin - left->origin;

    if (left->high != right->low || left->symbol != right->symbol)
        return false;
    if (one && other_one && left->origin + block == right->origin) {
        left->high = right->high;
        return true;
    }
    if (block != block_of(right) || right->origin != left->origin + blocks * distance ||
        (!other_one && right->stride.distance != distance))
        return false;
    left->high = right->high;
    left->stride = (struct wm_stride){block, distance, 0};
    return true;
}

void wm_memory_append(struct wm_arena *arena, struct wm_proof_memory *memory, struct wm_proof_span span)
{
    int head = memory->count - memory->tail;

    if (span.low == span.high || (head > 0 && unite_spans(&memory->spans[head - 1], &span)))
        return;
    grow(arena, memory, memory->count + 1);
    memory->spans[head] = span;
    memory->count++;
}

/* Put the span's units from `low` up to `high`, moved by `by`, behind all others. */
static void append_part(struct wm_arena *arena, struct wm_proof_memory *memory, const struct wm_proof_span *span,
                        size_t low, size_t high, size_t by)
{
    low = low > span->low ? low : span->low;
    high = high < span->high ? high : span->high;
    while (low < high) {
        struct wm_proof_span part = wm_span_part(span, low, high);

        low = part.high;
        part.low += by;
        part.high += by;
        wm_memory_append(arena, memory, part);
    }
}

/* First span that ends above `offset`. */
static int find_span(const struct wm_proof_memory *memory, size_t offset)
{
    return (int)WM_COUNT_WHILE(i, memory->count, span_at(memory, (int)i)->high <= offset);
}

/* Append what stands in the range, as it would stand from `to` on. Returns the first unit that was never written, or
 * the range's end. */
static size_t append_range(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t at, size_t end,
                           size_t to, struct wm_proof_memory *out)
{
    size_t by = to - at;

    for (int i = find_span(memory, at); at < end && i < memory->count && span_at(memory, i)->low <= at; i++) {
        append_part(arena, out, span_at(memory, i), at, end, by);
        at = span_at(memory, i)->high;
    }
    return at < end ? at : end;
}

/* Blocks out of one range of origins are a span at once. */
static bool gather_range(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t offset,
                         struct wm_stride stride, size_t count, size_t to, struct wm_proof_memory *out)
{
    size_t end = offset + (count / stride.block - 1) * stride.distance + stride.block;
    int i = find_span(memory, offset);
    const struct wm_proof_span *span = i < memory->count ? span_at(memory, i) : NULL;
    struct wm_proof_span found;

    if (count <= stride.block || stride.first > 0 || span == NULL || span->low > offset || span->high < end ||
        span->stride.block > 0)
        return false;
    found = wm_span(to, to + count, span->origin + (offset - span->low), span->symbol);
    found.stride = stride;
    wm_memory_append(arena, out, found);
    return true;
}

bool wm_memory_gather(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t offset,
                      struct wm_stride stride, size_t count, size_t to, struct wm_proof_memory *out, size_t *gap)
{
    *out = (struct wm_proof_memory){0};
    if (gather_range(arena, memory, offset, stride, count, to, out))
        return true;
    for (size_t done = 0; done < count; done += stride.block) {
        size_t at = offset + wm_stride_at(stride, count, done);

        *gap = append_range(arena, memory, at, at + stride.block, to + done, out);
        if (*gap < at + stride.block)
            return false;
    }
    return true;
}

bool wm_memory_read(struct wm_arena *arena, const struct wm_proof_memory *memory, size_t offset, size_t count,
                    struct wm_proof_memory *out, size_t *gap)
{
    return wm_memory_gather(arena, memory, offset, (struct wm_stride){count, count, 0}, count, offset, out, gap);
}

bool wm_memory_agrees(const struct wm_proof_memory *memory, size_t offset, size_t count, const struct wm_symbol *symbol)
{
    for (int i = find_span(memory, offset); i < memory->count && span_at(memory, i)->low < offset + count; i++)
        if (span_at(memory, i)->symbol->expression != symbol->expression)
            return false;
    return true;
}

/* Let the span behind the room swallow the one before it, if the two continue one another. */
static void join(struct wm_proof_memory *memory)
{
    int head = memory->count - memory->tail;
    struct wm_proof_span both;

    if (head == 0 || memory->tail == 0)
        return;
    both = *span_at(memory, head - 1);
    if (!unite_spans(&both, span_at(memory, head)))
        return;
    *span_at(memory, head) = both;
    memory->count--;
}

/* Spans first … last-1 are touched: what stands out of the range of the first and the last stays. */
void wm_memory_write(struct wm_arena *arena, struct wm_proof_memory *memory, size_t offset, size_t count,
                     const struct wm_proof_memory *content)
{
    size_t end = offset + count;
    int first = find_span(memory, offset), last = first;
    struct wm_proof_span left = {0}, right = {0}; /* the first and the last of them */

    while (last < memory->count && span_at(memory, last)->low < end)
        last++;
    if (last > first) {
        left = *span_at(memory, first);
        right = *span_at(memory, last - 1);
    }
    move_room(memory, last);
    memory->count -= last - first;
    append_part(arena, memory, &left, 0, offset, 0);
    for (int i = 0; i < content->count; i++)
        wm_memory_append(arena, memory, content->spans[i]);
    append_part(arena, memory, &right, end, SIZE_MAX, 0);
    join(memory);
}

void wm_memory_shift(struct wm_proof_memory *content, size_t from, size_t to)
{
    for (int i = 0; i < content->count; i++) {
        content->spans[i].low += to - from;
        content->spans[i].high += to - from;
    }
}
