/* An arena: chunks of memory, taken in turn and given back together. */
#include "tools/proof/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BYTES = 1 << 12, CHUNK_BYTES = 1 << 16, PAGE_BYTES = 2 << 20 };

struct wm_arena_chunk {
    struct wm_arena_chunk *next;
    size_t bytes, used;
    max_align_t data[];
};

void wm_proof_out_of_memory(void)
{
    fputs("waymark: no memory for a proof; choose a smaller grid\n", stderr);
    exit(1);
}

static struct wm_arena_chunk *chunk_new(size_t bytes)
{
    bool large = bytes >= 2 * PAGE_BYTES; /* read here and there: half the misses of the table of pages */
    struct wm_arena_chunk *chunk =
        large ? aligned_alloc(PAGE_BYTES, (sizeof *chunk + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)
              : malloc(sizeof *chunk + bytes);

    if (chunk == NULL)
        wm_proof_out_of_memory();
    if (large)
        madvise(chunk, sizeof *chunk + bytes, MADV_HUGEPAGE);
    chunk->bytes = bytes;
    return chunk;
}

void *wm_arena_take(struct wm_arena *arena, size_t bytes)
{
    size_t rounded = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct wm_arena_chunk *chunk = arena->chunks;
    void *taken;

    if (chunk == NULL || chunk->bytes - chunk->used < rounded) {
        if (arena->spare != NULL && rounded <= arena->spare->bytes) {
            chunk = arena->spare;
            arena->spare = chunk->next;
        } else {
            size_t least = chunk == NULL ? FIRST_BYTES : CHUNK_BYTES;

            chunk = chunk_new(rounded > least ? rounded : least);
        }
        chunk->used = 0;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    taken = (char *)chunk->data + chunk->used;
    chunk->used += rounded;
    return memset(taken, 0, rounded);
}

void wm_arena_clear(struct wm_arena *arena)
{
    while (arena->chunks != NULL) {
        struct wm_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        if (chunk->bytes > CHUNK_BYTES) {
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
}
