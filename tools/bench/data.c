/* The buffers of a bench: where they are, what is put into them, and what must be found there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "core/error.h"
#include "tools/bench/calls.h"

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, SLOTS_MAX = 64, CHECKED_BYTES = 1 << 20, POISON = 0xa5 };

static size_t blocks_of(enum wm_bench_blocks blocks, int ranks)
{
    return blocks == WM_BENCH_NONE ? 0 : blocks == WM_BENCH_ONE ? 1 : (size_t)ranks;
}

/* Slots of whole pages would fall into the same places of a cache. */
static size_t stride_of(size_t bytes)
{
    size_t lines = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;

    return lines + (lines >= PAGE_BYTES ? LINE_BYTES : 0);
}

static size_t send_bytes(int operation, uint64_t bytes, int ranks)
{
    return blocks_of(wm_bench_operation(operation).send, ranks) * bytes;
}

static size_t receive_bytes(int operation, uint64_t bytes, int ranks)
{
    return blocks_of(wm_bench_operation(operation).receive, ranks) * bytes;
}

size_t wm_bench_slot_bytes(int operation, uint64_t bytes, int ranks)
{
    return stride_of(send_bytes(operation, bytes, ranks)) + stride_of(receive_bytes(operation, bytes, ranks));
}

/* The largest power of two that is not beyond the wish, the sense, or below 1. */
static unsigned slots_of(size_t slot_bytes, uint64_t rotate_bytes)
{
    unsigned slots = 1;

    while (slot_bytes > 0 && slots < SLOTS_MAX && 2 * slots * (uint64_t)slot_bytes <= rotate_bytes)
        slots *= 2;
    return slots;
}

static int reserve(struct wm_bench_pool *pool, size_t bytes)
{
    void *memory;

    if (bytes <= pool->bytes)
        return 0;
    wm_bench_pool_release(pool);
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -WM_ENOMEM;
    *pool = (struct wm_bench_pool){memory, bytes};
    return 0;
}

void wm_bench_pool_release(struct wm_bench_pool *pool)
{
    if (pool->memory != NULL)
        munmap(pool->memory, pool->bytes);
    *pool = (struct wm_bench_pool){0};
}

/* Counts and places of equal blocks. */
static int describe(struct wm_bench *b)
{
    size_t ranks = (size_t)b->ranks;

    b->counts = calloc(ranks, sizeof *b->counts);
    b->displacements = calloc(ranks, sizeof *b->displacements);
    b->byte_displacements = calloc(ranks, sizeof *b->byte_displacements);
    b->types = calloc(ranks, sizeof(MPI_Datatype));
    if (b->counts == NULL || b->displacements == NULL || b->byte_displacements == NULL || b->types == NULL)
        return -WM_ENOMEM;
    for (int r = 0; r < b->ranks; r++) {
        b->counts[r] = b->count;
        b->displacements[r] = r * b->count;
        b->byte_displacements[r] = r * (int)b->bytes;
        b->types[r] = b->type;
    }
    return 0;
}

int wm_bench_init(struct wm_bench *b, struct wm_bench_pool *pool, int operation, uint64_t bytes, MPI_Comm comm,
                  uint64_t rotate_bytes)
{
    int element = wm_bench_element_bytes(operation, bytes);

    *b = (struct wm_bench){
        .operation = operation, .data = wm_bench_operation(operation), .bytes = bytes, .element_bytes = element};
    PMPI_Comm_rank(comm, &b->rank);
    PMPI_Comm_size(comm, &b->ranks);
    b->count = (int)(bytes / (uint64_t)element);
    b->type = element == 1 ? MPI_CHAR : element == 4 ? MPI_INT : MPI_DOUBLE;
    b->send_stride = stride_of(send_bytes(operation, bytes, b->ranks));
    b->receive_stride = stride_of(receive_bytes(operation, bytes, b->ranks));
    b->slots = slots_of(b->send_stride + b->receive_stride, rotate_bytes);
    if (describe(b) < 0 || reserve(pool, b->slots * (b->send_stride + b->receive_stride) + LINE_BYTES) < 0) {
        wm_bench_release(b);
        return -WM_ENOMEM;
    }
    b->send = pool->memory;
    b->receive = pool->memory + b->slots * b->send_stride;
    for (unsigned slot = 0; slot < b->slots; slot++) /* numbers to add, and pages that are there */
        memset(b->send + slot * b->send_stride, 0, b->send_stride);
    memset(b->receive, 0, b->slots * b->receive_stride);
    return 0;
}

void wm_bench_release(struct wm_bench *b)
{
    free(b->counts);
    free(b->displacements);
    free(b->byte_displacements);
    free(b->types);
    *b = (struct wm_bench){0};
}

unsigned wm_bench_checked_slots(const struct wm_bench *b)
{
    uint64_t bytes = b->send_stride + b->receive_stride;
    unsigned most = bytes * 2 < CHECKED_BYTES ? (unsigned)(CHECKED_BYTES / (bytes + 1)) : 2;

    return b->slots < most ? b->slots : most;
}

/* What `origin` puts into place `i` of the block for `destination`; a sum of such numbers is exact. */
static int value_of(const struct wm_bench *b, int origin, int destination, uint64_t i, unsigned slot)
{
    uint64_t at = i + 5 * (uint64_t)destination + 3 * slot;

    if (b->data.combined == WM_COMBINED_NONE)
        return (int)((at * 7 + (at >> 8) * 3 + (uint64_t)origin * 131 + 1) & 0x7f);
    return (origin + 1) * (int)(at % 13 + 1);
}

static void put(const struct wm_bench *b, char *block, uint64_t i, int value)
{
    if (b->element_bytes == 1)
        block[i] = (char)value;
    else if (b->element_bytes == 4)
        ((int *)(void *)block)[i] = value;
    else
        ((double *)(void *)block)[i] = value;
}

static double get(const struct wm_bench *b, const char *block, uint64_t i)
{
    return b->element_bytes == 1   ? block[i]
           : b->element_bytes == 4 ? ((const int *)(const void *)block)[i]
                                   : ((const double *)(const void *)block)[i];
}

static void fill_block(const struct wm_bench *b, char *block, int destination, unsigned slot)
{
    for (int i = 0; i < b->count; i++)
        put(b, block, (uint64_t)i, value_of(b, b->rank, destination, (uint64_t)i, slot));
}

static void fill_slot(const struct wm_bench *b, unsigned slot)
{
    const struct wm_bench_operation *o = &b->data;
    char *send = b->send + slot * b->send_stride, *receive = b->receive + slot * b->receive_stride;
    int blocks = (int)blocks_of(o->send, b->ranks);

    for (int d = 0; d < blocks; d++)
        fill_block(b, send + (size_t)d * b->bytes, d, slot);
    if (o->in_place && b->rank == b->root)
        fill_block(b, receive, 0, slot);
    else
        memset(receive, POISON, receive_bytes(b->operation, b->bytes, b->ranks));
}

void wm_bench_fill(const struct wm_bench *b)
{
    for (unsigned slot = 0; slot < wm_bench_checked_slots(b); slot++)
        fill_slot(b, slot);
}

/* What place `i` of received block `block` must hold. */
static double expected(const struct wm_bench *b, int block, uint64_t i, unsigned slot)
{
    const struct wm_bench_operation *o = &b->data;
    int destination = o->send == WM_BENCH_EACH ? b->rank : 0, end = b->ranks, sum = 0;

    if (o->combined == WM_COMBINED_NONE)
        return value_of(b, o->receive == WM_BENCH_EACH ? block : b->root, destination, i, slot);
    if (o->combined != WM_COMBINED_ALL)
        end = b->rank + (o->combined == WM_COMBINED_UP_TO_ME ? 1 : 0);
    for (int r = 0; r < end; r++)
        sum += value_of(b, r, destination, i, slot);
    return sum;
}

/* This rank receives nothing that is defined. */
static bool receives_nothing(const struct wm_bench *b)
{
    const struct wm_bench_operation *o = &b->data;

    return o->receive == WM_BENCH_NONE || (o->root_receives && b->rank != b->root) ||
           (o->combined == WM_COMBINED_BEFORE_ME && b->rank == 0);
}

static bool fault_in_slot(const struct wm_bench *b, unsigned slot, char *sentence, size_t sentence_bytes)
{
    const char *receive = b->receive + slot * b->receive_stride;
    int blocks = (int)blocks_of(b->data.receive, b->ranks);

    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < b->count; i++) {
            double found = get(b, receive + (size_t)block * b->bytes, (uint64_t)i);
            double right = expected(b, block, (uint64_t)i, slot);

            if (found == right)
                continue;
            snprintf(sentence, sentence_bytes, "rank %d received %g in the place of %g as element %d of block %d",
                     b->rank, found, right, i, block);
            return true;
        }
    return false;
}

bool wm_bench_find_fault(const struct wm_bench *b, char *sentence, size_t sentence_bytes)
{
    for (unsigned slot = 0; slot < wm_bench_checked_slots(b) && !receives_nothing(b); slot++)
        if (fault_in_slot(b, slot, sentence, sentence_bytes))
            return true;
    return false;
}
