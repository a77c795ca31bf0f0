/* The store: parts of a reserve, blocks beside it, any alignment, last in, first out. */
#include "core/convey/store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/check.h"

enum { BLOCKS = 8 };

static struct stack {
    char *blocks[BLOCKS];
    size_t off_by;
    int depth, allowed;
} stack;

static void *grab(void *self, size_t bytes, const char *file, uint64_t line)
{
    char *block = stack.depth < stack.allowed ? aligned_alloc(64, (bytes + 127) / 64 * 64) : NULL;

    CU_ASSERT(self == &stack && file != NULL && line > 0);
    if (block == NULL)
        return NULL;
    memset(block, 0xdb, bytes + stack.off_by);
    stack.blocks[stack.depth++] = block;
    return block + stack.off_by;
}

static void give_back(void *self, void *block)
{
    CU_ASSERT(self == &stack);
    CU_ASSERT_FATAL(stack.depth > 0);
    CU_ASSERT(block == stack.blocks[--stack.depth] + stack.off_by);
    free(stack.blocks[stack.depth]);
}

static struct wm_convey_store store_of(size_t off_by, int allowed)
{
    stack = (struct stack){.off_by = off_by, .allowed = allowed};
    return (struct wm_convey_store){.alloc = {&stack, grab, give_back}};
}

/* A part may be written whole. */
static char *take(struct wm_convey_store *store, size_t bytes)
{
    char *part = wm_convey_store_take(store, bytes);

    CU_ASSERT_FATAL(part != NULL);
    CU_ASSERT((uintptr_t)part % CONVEY_MAX_ALIGN == 0);
    return memset(part, 0x5a, bytes);
}

static void parts__come_from_the_reserve(void)
{
    struct wm_convey_store store = store_of(16, BLOCKS);

    CU_ASSERT(wm_convey_store_reserve(&store, 256) && stack.depth == 1);
    for (int run = 0; run < 2; run++) {
        char *first = take(&store, 100), *second = take(&store, 128);

        CU_ASSERT(second == first + 128 && stack.depth == 1);
        wm_convey_store_give(&store, second);
        CU_ASSERT(take(&store, 1) == second);
        wm_convey_store_give(&store, second);
        wm_convey_store_give(&store, first);
    }
    wm_convey_store_release(&store);
    CU_ASSERT_EQUAL(stack.depth, 0);
}

static void parts__beyond_the_reserve_are_blocks(void)
{
    struct wm_convey_store store = store_of(0, BLOCKS);
    char *parts[3];

    CU_ASSERT(wm_convey_store_reserve(&store, 128));
    parts[0] = take(&store, 64);
    parts[1] = take(&store, 65);
    parts[2] = take(&store, 64); /* it would fit, but would have to go first */
    CU_ASSERT(stack.depth == 3 && store.blocks == 2);
    for (int i = 2; i >= 0; i--)
        wm_convey_store_give(&store, parts[i]);
    CU_ASSERT(stack.depth == 1 && store.blocks == 0 && store.used == 0);
    wm_convey_store_release(&store);
}

static void parts__are_aligned_whatever_the_blocks_are(void)
{
    for (size_t off_by = 0; off_by < 64; off_by++) {
        struct wm_convey_store store = store_of(off_by, BLOCKS);
        char *part;

        CU_ASSERT(wm_convey_store_reserve(&store, 64));
        part = take(&store, 64);
        wm_convey_store_give(&store, take(&store, 1000));
        wm_convey_store_give(&store, part);
        wm_convey_store_release(&store);
        CU_ASSERT_EQUAL(stack.depth, 0);
    }
}

static void store__has_no_memory(void)
{
    struct wm_convey_store store = store_of(0, 0);

    CU_ASSERT(!wm_convey_store_reserve(&store, 1));
    CU_ASSERT_PTR_NULL(wm_convey_store_take(&store, 1));
    CU_ASSERT(wm_convey_store_reserve(&store, 0));
    wm_convey_store_give(&store, NULL);
    wm_convey_store_release(&store);
}

static void store__of_malloc_reserves_nothing(void)
{
    struct wm_convey_store store = {.bytes = 0};

    CU_ASSERT(wm_convey_store_reserve(&store, 1000) && store.reserve == NULL);
    wm_convey_store_give(&store, take(&store, 1000));
    wm_convey_store_release(&store);
}

static const struct check_case cases[] = {
    CASE(parts__come_from_the_reserve),
    CASE(parts__beyond_the_reserve_are_blocks),
    CASE(parts__are_aligned_whatever_the_blocks_are),
    CASE(store__has_no_memory),
    CASE(store__of_malloc_reserves_nothing),
};

CHECK_MAIN("store", cases)
