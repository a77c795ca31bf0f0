/* An arena: chunks of memory, taken in turn and given back together. */
#include "tools/proof/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BYTES = 1 << 12, CHUNK_BYTES = 1 << 16, PAGE_BYTES = 2 << 20, LINE_BYTES = 64 };

struct wm_arena_chunk {
    struct wm_arena_chunk *next;
    size_t bytes, used;
    _Alignas(LINE_BYTES) char data[];
};

void wm_proof_out_of_memory(void)
{
    fputs("waymark: no memory for a proof; choose a smaller grid\n", stderr);
    exit(1);
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static struct wm_arena_chunk *chunk_new(size_t bytes)
{
    bool large = bytes >= 2 * PAGE_BYTES; /* read here and there: half the misses of the table of pages */
    size_t unit = large ? PAGE_BYTES : LINE_BYTES;
    struct wm_arena_chunk *chunk = aligned_alloc(unit, round_up(sizeof *chunk + bytes, unit));

    if (chunk == NULL)
        wm_proof_out_of_memory();
    if (large)
        madvise(chunk, sizeof *chunk + bytes, MADV_HUGEPAGE);
    *chunk = (struct wm_arena_chunk){.bytes = bytes};
    return chunk;
}

void *wm_arena_take(struct wm_arena *arena, size_t bytes)
{
    size_t unit = bytes < LINE_BYTES ? sizeof(max_align_t) : LINE_BYTES, rounded = round_up(bytes, unit);
    struct wm_arena_chunk *chunk = arena->chunks;
    size_t at = chunk != NULL ? round_up(chunk->used, unit) : 0;

    if (chunk == NULL || at + rounded > chunk->bytes) {
        if (arena->spare != NULL && rounded <= arena->spare->bytes) {
            chunk = arena->spare;
            arena->spare = chunk->next;
        } else {
            size_t least = chunk == NULL && arena->spare == NULL ? FIRST_BYTES : CHUNK_BYTES;

            chunk = chunk_new(rounded > least ? rounded : least);
            arena->bytes += chunk->bytes;
        }
        at = 0;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    chunk->used = at + rounded;
    return memset(chunk->data + at, 0, rounded);
}

void wm_arena_clear(struct wm_arena *arena)
{
    while (arena->chunks != NULL) {
        struct wm_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        if (chunk->bytes > CHUNK_BYTES) {
            arena->bytes -= chunk->bytes;
            free(chunk);
            continue;
        }
        chunk->next = arena->spare;
        arena->spare = chunk;
    }
}

void wm_arena_release(struct wm_arena *arena)
{
    wm_arena_clear(arena);
    while (arena->spare != NULL) {
        struct wm_arena_chunk *next = arena->spare->next;

        free(arena->spare);
        arena->spare = next;
    }
    arena->bytes = 0;
}
