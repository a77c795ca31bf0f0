/* Symbolic memory: symbols, spans, and the arena they live in. */
#include "tests/symbolic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t bytes, used;
    max_align_t data[];
};

static struct arena_chunk *chunk_new(size_t bytes)
{
    struct arena_chunk *chunk = malloc(sizeof *chunk + bytes);

    if (chunk == NULL) {
        fputs("prove: out of memory; choose a smaller grid\n", stderr);
        exit(2);
    }
    chunk->bytes = bytes;
    return chunk;
}

void *arena_take(struct arena *arena, size_t bytes)
{
    size_t rounded = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct arena_chunk *chunk = arena->chunks;
    void *taken;

    if (chunk == NULL || chunk->bytes - chunk->used < rounded) {
        if (rounded <= CHUNK_BYTES && arena->spare != NULL) {
            chunk = arena->spare;
            arena->spare = chunk->next;
        } else {
            chunk = chunk_new(rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES);
        }
        chunk->used = 0;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    taken = (char *)chunk->data + chunk->used;
    chunk->used += rounded;
    return memset(taken, 0, rounded);
}

void arena_clear(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        if (chunk->bytes != CHUNK_BYTES) {
            free(chunk);
            continue;
        }
        chunk->next = arena->spare;
        arena->spare = chunk;
    }
}

void arena_release(struct arena *arena)
{
    arena_clear(arena);
    while (arena->spare != NULL) {
        struct arena_chunk *next = arena->spare->next;

        free(arena->spare);
        arena->spare = next;
    }
}

static size_t set_words(const struct symbols *symbols)
{
    return (size_t)(symbols->ranks + 63) / 64;
}

/* splitmix64's finaliser. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

const struct symbol *symbol_leaf(const struct symbols *symbols, int rank)
{
    struct symbol *symbol = arena_take(symbols->arena, sizeof *symbol);
    uint64_t *members;

    *symbol = (struct symbol){rank, rank, 1, mix((uint64_t)rank + 1), NULL};
    if (symbols->commutative) {
        members = arena_take(symbols->arena, set_words(symbols) * sizeof *members);
        members[rank / 64] |= UINT64_C(1) << (rank % 64);
        symbol->members = members;
    }
    return symbol;
}

static bool unite(const struct symbols *symbols, struct symbol *symbol, const struct symbol *left,
                  const struct symbol *right, int *culprit)
{
    uint64_t *members = arena_take(symbols->arena, set_words(symbols) * sizeof *members);

    for (size_t w = 0; w < set_words(symbols); w++) {
        uint64_t both = left->members[w] & right->members[w];

        if (both != 0) {
            *culprit = (int)w * 64 + __builtin_ctzll(both);
            return false;
        }
        members[w] = left->members[w] | right->members[w];
    }
    symbol->members = members;
    return true;
}

const struct symbol *symbol_combine(const struct symbols *symbols, const struct symbol *left,
                                    const struct symbol *right, int *culprit)
{
    struct symbol *symbol = arena_take(symbols->arena, sizeof *symbol);
    bool swap = symbols->commutative && left->expression > right->expression;
    const struct symbol *first = swap ? right : left, *second = swap ? left : right;

    symbol->low = left->low < right->low ? left->low : right->low;
    symbol->high = left->high > right->high ? left->high : right->high;
    symbol->count = left->count + right->count;
    symbol->expression = mix(mix(first->expression) + 3 * second->expression);
    if (symbols->commutative)
        return unite(symbols, symbol, left, right, culprit) ? symbol : NULL;
    *culprit = right->low;
    return left->high + 1 == right->low ? symbol : NULL;
}

int symbol_missing(const struct symbols *symbols, const struct symbol *symbol)
{
    if (symbol->count == symbols->ranks)
        return -1;
    if (!symbols->commutative)
        return symbol->low > 0 ? 0 : symbol->high + 1;
    for (int rank = 0; rank < symbols->ranks; rank++)
        if (!(symbol->members[rank / 64] >> (rank % 64) & 1))
            return rank;
    return -1;
}

static void grow(struct arena *arena, struct memory *memory, int count)
{
    int room = memory->room > 0 ? memory->room : 4;
    struct span *grown;

    if (count <= memory->room)
        return;
    while (room < count)
        room *= 2;
    grown = arena_take(arena, sizeof *grown * (size_t)room);
    if (memory->count > 0)
        memcpy(grown, memory->spans, sizeof *grown * (size_t)memory->count);
    memory->spans = grown;
    memory->room = room;
}

static struct span cut(struct span span, size_t low, size_t high)
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
static int find_span(const struct memory *memory, size_t offset)
{
    int low = 0, high = memory->count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (memory->spans[middle].high <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool memory_read(struct arena *arena, const struct memory *memory, size_t offset, size_t count, struct memory *out,
                 size_t *gap)
{
    size_t at = offset, end = offset + count;

    *out = (struct memory){0};
    for (int i = find_span(memory, offset); at < end && i < memory->count && memory->spans[i].low <= at; i++) {
        grow(arena, out, out->count + 1);
        out->spans[out->count++] = cut(memory->spans[i], at, end);
        at = memory->spans[i].high;
    }
    *gap = at;
    return at >= end;
}

/* Spans first … last-1 are touched: what stands out of the range of the first and the last stays. */
void memory_write(struct arena *arena, struct memory *memory, size_t offset, size_t count, const struct memory *content)
{
    size_t end = offset + count;
    int first = find_span(memory, offset), last = first, added = content->count, tail;
    struct span left = {0}, right = {0};

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
}

void memory_shift(struct memory *content, size_t from, size_t to)
{
    for (int i = 0; i < content->count; i++) {
        content->spans[i].low += to - from;
        content->spans[i].high += to - from;
    }
}
