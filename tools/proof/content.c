/* Casts: what stands in the buffers before a call, and what must stand there behind. */
#include "tools/proof/scenario.h"

#include <stdlib.h>

/* The first origin of block `block` of what a rank brings. */
static size_t origin_out(const struct wm_cast *c, int rank, int block)
{
    switch (wm_operation_data(c->scenario.operation)) {
    case WM_DATA_PAIRS:
        return ((size_t)rank * (size_t)c->scenario.ranks + (size_t)block) * c->stride;
    case WM_DATA_EDGES:
        if (wm_operation_sends_one_block(c->scenario.operation))
            return c->starts[rank];
        return ((size_t)rank * (size_t)c->scenario.topology->destinations_max + (size_t)block) * c->stride;
    default:
        return c->starts[wm_operation_flow(c->scenario.operation) == WM_FLOW_DOWN ? block : rank];
    }
}

/* The same of what shall stand in block `block` of its receive buffer; false: that stays as it is. */
static bool origin_in(const struct wm_cast *c, int rank, int block, size_t *origin)
{
    int source;

    switch (wm_operation_data(c->scenario.operation)) {
    case WM_DATA_PAIRS:
        *origin = origin_out(c, block, rank);
        return true;
    case WM_DATA_EDGES:
        source = c->scenario.topology->of[rank].sources[block];
        if (source >= 0)
            *origin = origin_out(c, source, wm_topology_slot(c->scenario.topology, rank, block));
        return source >= 0;
    default:
        *origin = c->starts[wm_operation_flow(c->scenario.operation) == WM_FLOW_DOWN ? rank : block];
        return true;
    }
}

static int compare_spans(const void *left, const void *right)
{
    const struct wm_proof_span *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

static struct wm_proof_memory sort_blocks(struct wm_arena *arena, struct wm_proof_span *spans, int count)
{
    struct wm_proof_memory memory = {0};
    bool sorted = true;

    for (int i = 1; i < count && sorted; i++)
        sorted = spans[i - 1].low <= spans[i].low;
    if (!sorted)
        qsort(spans, (size_t)count, sizeof *spans, compare_spans);
    for (int i = 0; i < count; i++)
        wm_memory_append(arena, &memory, spans[i]);
    return memory;
}

/* Put a block behind the spans; one that goes on the last is of it. */
static void add_block(struct wm_proof_span *spans, int *count, const struct wm_blocks *blocks, int block, size_t origin)
{
    size_t low = wm_blocks_offset(blocks, block), high = low + wm_blocks_count(blocks, block);
    struct wm_proof_span *last = *count > 0 ? &spans[*count - 1] : NULL;

    if (last != NULL && last->high == low && last->origin + (last->high - last->low) == origin)
        last->high = high;
    else
        spans[(*count)++] = wm_span(low, high, origin, NULL);
}

static bool is_whole(const struct wm_cast *c)
{
    return wm_operation_combines(c->scenario.operation) || wm_operation_data(c->scenario.operation) == WM_DATA_WHOLE;
}

/* In place: of blocks for every rank its own in the receive buffer, or, between pairs, all. */
static struct wm_proof_memory bring_blocks(const struct wm_cast *c, const struct wm_plan_call *call, int rank,
                                           struct wm_arena *arena)
{
    bool down = wm_operation_flow(call->operation) == WM_FLOW_DOWN;
    bool own_alone = call->in_place && !down && wm_operation_data(call->operation) == WM_DATA_BLOCKS;
    const struct wm_blocks *blocks = call->in_place && !down ? &call->receive : &call->send;
    int first = own_alone ? rank : 0, last = own_alone ? rank + 1 : blocks->count, count = 0;
    struct wm_proof_span *spans = wm_arena_take(arena, sizeof *spans * (size_t)(last - first + 1));

    for (int i = first; i < last; i++)
        if (wm_blocks_count(blocks, i) > 0)
            add_block(spans, &count, blocks, i, origin_out(c, rank, i));
    return sort_blocks(arena, spans, count);
}

void wm_cast_before(const struct wm_cast *c, const struct wm_plan_call *call, int rank, struct wm_symbols *symbols,
                    struct wm_arena *arena, struct wm_proof_memory buffers[2])
{
    bool down = wm_operation_flow(call->operation) == WM_FLOW_DOWN, bcast = down && is_whole(c);
    struct wm_proof_memory *brought = &buffers[bcast || (call->in_place && !down) ? WM_BUFFER_RECEIVE : WM_BUFFER_SEND];

    buffers[0] = buffers[1] = (struct wm_proof_memory){0};
    if (!is_whole(c))
        *brought = bring_blocks(c, call, rank, arena);
    else if (!bcast || rank == call->root)
        wm_memory_append(arena, brought, wm_span(0, call->count, 0, bcast ? NULL : wm_symbol_leaf(symbols, rank)));
}

/* A block of each rank, one behind the other in the order of ranks: all origins in one span. */
static bool stands_as_brought(const struct wm_cast *c, const struct wm_blocks *receive)
{
    return wm_operation_data(c->scenario.operation) == WM_DATA_BLOCKS && receive->count == c->scenario.ranks &&
           receive->count > 1 && (receive->counts == NULL || receive->offsets == c->starts);
}

struct wm_proof_memory wm_cast_after(const struct wm_cast *c, const struct wm_plan_call *call, int rank,
                                     struct wm_arena *arena)
{
    bool up = wm_operation_flow(call->operation) == WM_FLOW_UP;
    struct wm_proof_memory after = {0};
    struct wm_proof_span *spans;
    int count = 0;

    if (is_whole(c)) {
        size_t origin = wm_operation_data(call->operation) == WM_DATA_BLOCKS ? c->starts[rank] : 0;
        size_t units = call->receive.count == 1 ? call->receive.each : call->count;

        if ((up && rank != call->root) || wm_cast_receives_nothing(c, rank))
            units = 0;
        wm_memory_append(arena, &after, wm_span(0, units, origin, NULL));
        return after;
    }
    if (stands_as_brought(c, &call->receive)) {
        wm_memory_append(arena, &after, wm_span(0, c->starts[c->scenario.ranks], 0, NULL));
        return after;
    }
    spans = wm_arena_take(arena, sizeof *spans * ((size_t)call->receive.count + 1));
    for (int i = 0; i < call->receive.count; i++) {
        size_t origin = 0;
        /* one block: this rank's, else there is one for each rank or neighbour */
        if (wm_blocks_count(&call->receive, i) > 0 && origin_in(c, rank, i, &origin))
            add_block(spans, &count, &call->receive, i, origin);
    }
    return sort_blocks(arena, spans, count);
}

void wm_cast_contributors(const struct wm_cast *c, int rank, int *low, int *high)
{
    *low = 0;
    *high = c->scenario.ranks - 1;
    if (wm_operation_scans(c->scenario.operation))
        *high = rank - (wm_operation_combined(c->scenario.operation) == WM_COMBINED_BEFORE_ME);
}

bool wm_cast_receives_nothing(const struct wm_cast *c, int rank)
{
    int low, high;

    wm_cast_contributors(c, rank, &low, &high);
    return high < low;
}

bool wm_cast_alike(const struct wm_cast *c)
{
    enum wm_operation operation = c->scenario.operation;

    return wm_operation_combined(operation) == WM_COMBINED_ALL && wm_operation_data(operation) == WM_DATA_WHOLE &&
           wm_operation_flow(operation) == WM_FLOW_ALL;
}
