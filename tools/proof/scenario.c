/* Casts: every rank's plan call for a scenario. */
#include "tools/proof/scenario.h"

#include <stdlib.h>
#include "core/hash.h"

enum { GAPS = 3 }; /* so many kinds of them, from none on */

struct wm_scenario wm_scenario_of(enum wm_operation operation, uint64_t bytes)
{
    size_t unit = wm_operation_combines(operation) ? 8 : 1;

    while (bytes % unit != 0)
        unit /= 2;
    return (struct wm_scenario){
        .operation = operation, .each = bytes / unit, .unit_bytes = unit, .commutative = true, .seed = bytes};
}

static uint64_t mix(uint64_t seed, uint64_t a, uint64_t b)
{
    return wm_hash_scatter(seed + a * UINT64_C(0x9e3779b97f4a7c15) + b * UINT64_C(0xd1b54a32d192ed03) + 1);
}

/* One block in four is empty. */
static size_t uneven_count(const struct wm_scenario *s, int a, int b)
{
    uint64_t random = mix(s->seed, (uint64_t)a, (uint64_t)b);

    return random % 4 == 0 ? 0 : (size_t)(random >> 8) % (2 * s->each + 1);
}

static size_t some_count(const struct wm_cast *c, int a, int b)
{
    return c->scenario.uneven && c->vectors ? uneven_count(&c->scenario, a, b) : c->scenario.each;
}

size_t wm_scenario_sum(const struct wm_scenario *s)
{
    size_t sum = 0;

    for (int i = 0; i < s->period; i++)
        sum += s->uneven ? uneven_count(s, i, -1) : s->each;
    return sum;
}

size_t wm_scenario_slot(const struct wm_scenario *s)
{
    return wm_scenario_sum(s) + (size_t)s->period * (GAPS - 1);
}

/* Units of the block that a rank brings, or shall get; from origin to destination; on an edge. */
static size_t rank_count(const struct wm_cast *c, int rank)
{
    if (c->counts != NULL)
        return c->counts[rank];
    return some_count(c, c->scenario.period > 0 ? rank % c->scenario.period : rank, -1);
}

/* A permutation of the ranks of a period: 0, 2, 4, … of the first half, 1, 3, 5, … of the second. */
static int deal(int rank, int period)
{
    return 2 * rank < period ? 2 * rank : (2 * rank - period) | 1;
}

/* Where sizes repeat, every rank sends as many units to the ranks of a period as any other, and receives as many. In
 * periods of more than 3 ranks most sizes to a rank and from it differ, and so do those of a round of a pairwise
 * exchange: a plan that takes one for the other is refuted. In place, what comes has the size of what goes. */
static size_t repeating_count(const struct wm_cast *c, int origin, int destination)
{
    int period = c->scenario.period, column = destination % period;

    return rank_count(c, (origin + (c->scenario.in_place ? column : deal(column, period))) % period);
}

static size_t pair_count(const struct wm_cast *c, int origin, int destination)
{
    bool swap = c->scenario.in_place && origin > destination;

    if (c->scenario.period > 0)
        return repeating_count(c, origin, destination);
    return some_count(c, swap ? destination : origin, swap ? origin : destination);
}

/* Of everything that is sent along the edges a rank has one block, or one for each. */
static size_t edge_count(const struct wm_cast *c, int origin, int slot)
{
    return wm_operation_sends_one_block(c->scenario.operation) ? rank_count(c, origin) : some_count(c, origin, slot);
}

bool wm_cast_goes_straight(const struct wm_path *path)
{
    const struct wm_wrapper *stage = path->stage_count > 0 ? &path->wrappers[path->stages[0]] : NULL;
    const struct wm_shape *shape = stage != NULL ? stage->shape : NULL;

    return path->stage_count == 1 && shape != NULL &&
           (stage->service->stage != WM_STAGE_FOLD || wm_operation_rooted(path->operation)) &&
           wm_shape_can(shape->kind, WM_SHAPE_IS_DIRECT);
}

static const struct wm_pair_sizes *all_pairs(const struct wm_cast *c, struct wm_arena *arena)
{
    size_t ranks = (size_t)c->scenario.ranks;
    struct wm_pair_sizes *pairs = wm_arena_take(arena, sizeof *pairs);

    pairs->each = c->scenario.each;
    if (!c->scenario.uneven)
        return pairs;
    pairs->sizes = wm_arena_take(arena, sizeof *pairs->sizes * ranks * ranks);
    for (int s = 0; s < c->scenario.ranks; s++)
        for (int d = 0; d < c->scenario.ranks; d++)
            pairs->sizes[pairs->count++] = (struct wm_pair_size){s, d, pair_count(c, s, d)};
    return pairs;
}

struct wm_cast wm_cast_make(const struct wm_scenario *scenario, const struct wm_path *path, struct wm_arena *arena)
{
    struct wm_cast c = {.scenario = *scenario, .vectors = wm_operation_takes_vectors(scenario->operation)};
    enum wm_data_kind data = wm_operation_data(scenario->operation);
    size_t ranks = (size_t)scenario->ranks, *counts;

    c.told = !wm_cast_goes_straight(path);
    c.stride = c.vectors ? 2 * scenario->each : scenario->each;
    c.starts = wm_arena_take(arena, sizeof *c.starts * (ranks + 1));
    counts = c.vectors ? wm_arena_take(arena, sizeof *counts * ranks) : NULL;
    for (int r = 0; r < scenario->ranks; r++) {
        c.starts[r + 1] = c.starts[r] + rank_count(&c, r);
        if (c.vectors)
            counts[r] = rank_count(&c, r);
    }
    c.counts = counts;
    if (data == WM_DATA_PAIRS && c.vectors && c.told)
        c.pairs = all_pairs(&c, arena);
    return c;
}

/* Blocks where the user wants them. */

static int *draw_order(const struct wm_cast *c, int rank, int way, int count, struct wm_arena *arena)
{
    int *order = wm_arena_take(arena, sizeof *order * ((size_t)count + 1));

    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; c->scenario.scattered && i > 0; i--) {
        int j = (int)(mix(c->scenario.seed, (uint64_t)(2 * rank + way), (uint64_t)i) % (uint64_t)(i + 1));
        int swap = order[i];

        order[i] = order[j];
        order[j] = swap;
    }
    return order;
}

/* Blocks in runs, the runs in the order given, with gaps before them. */
struct laying {
    const struct wm_cast *cast;
    int rank;
    const int *order;
    int runs, run;
};

static void lay_runs(const struct laying *l, size_t at, int count, const size_t *counts, size_t *offsets)
{
    for (int i = 0; i < l->runs; i++) {
        if (l->cast->scenario.scattered)
            at += mix(l->cast->scenario.seed, (uint64_t)(l->rank + 7), (uint64_t)i) % GAPS;
        for (int b = l->order[i] * l->run; b < count && b < (l->order[i] + 1) * l->run; b++) {
            offsets[b] = counts[b] > 0 ? at : 0;
            at += counts[b];
        }
    }
}

static void scatter_offsets(const struct wm_cast *c, int rank, int way, const size_t *counts, size_t *offsets,
                            int count, struct wm_arena *arena)
{
    const struct wm_scenario *s = &c->scenario;
    bool repeats = s->scattered && s->period > 0 && s->together == 0;
    struct laying l = {c, rank, NULL, count, 1};

    if (s->scattered && s->together > 0) {
        l.run = s->together;
        l.runs = (count + l.run - 1) / l.run;
    } else if (repeats) {
        l.rank = rank % s->period;
        l.runs = s->period;
    }
    l.order = draw_order(c, l.rank, way, l.runs, arena);
    if (!repeats)
        lay_runs(&l, 0, count, counts, offsets);
    for (int b = 0; repeats && b < count; b += s->period)
        lay_runs(&l, (size_t)((count - b) / s->period - 1) * wm_scenario_slot(s), s->period, &counts[b], &offsets[b]);
}

static size_t size_of_rank(const struct wm_cast *c, int rank, int block)
{
    (void)rank;
    return rank_count(c, block);
}

/* Blocks of the sizes that `size_of` tells for (rank, block). `way` tells the two buffers apart. */
static struct wm_blocks make_blocks(const struct wm_cast *c, int rank, int way, int count,
                                    size_t (*size_of)(const struct wm_cast *, int rank, int block),
                                    struct wm_arena *arena)
{
    size_t *counts, *offsets;
    bool by_rank = size_of == size_of_rank;

    if (count == 0)
        return (struct wm_blocks){0};
    if (!c->vectors)
        return (struct wm_blocks){.count = count, .each = c->scenario.each};
    if (by_rank && !c->scenario.scattered)
        return (struct wm_blocks){.count = count, .counts = c->counts, .offsets = c->starts};
    counts = by_rank ? c->counts : wm_arena_take(arena, sizeof *counts * (size_t)count);
    offsets = wm_arena_take(arena, sizeof *offsets * (size_t)count);
    for (int i = 0; i < count && !by_rank; i++)
        counts[i] = size_of(c, rank, i);
    scatter_offsets(c, rank, way, counts, offsets, count, arena);
    return (struct wm_blocks){.count = count, .counts = counts, .offsets = offsets};
}

static size_t size_from(const struct wm_cast *c, int rank, int block)
{
    return pair_count(c, block, rank);
}

static size_t size_to(const struct wm_cast *c, int rank, int block)
{
    return pair_count(c, rank, block);
}

static size_t size_on_edge(const struct wm_cast *c, int rank, int slot)
{
    int source = c->scenario.topology->of[rank].sources[slot];

    return source < 0 ? some_count(c, rank, slot)
                      : edge_count(c, source, wm_topology_slot(c->scenario.topology, rank, slot));
}

static struct wm_blocks one_block(size_t units)
{
    return (struct wm_blocks){.count = 1, .each = units};
}

static struct wm_blocks all_blocks(const struct wm_cast *c)
{
    if (!c->vectors)
        return (struct wm_blocks){.count = c->scenario.ranks, .each = c->scenario.each};
    return (struct wm_blocks){.count = c->scenario.ranks, .counts = c->counts, .offsets = c->starts};
}

static void cast_blocks(const struct wm_cast *c, struct wm_plan_call *call, int rank, struct wm_arena *arena)
{
    enum wm_flow_kind flow = wm_operation_flow(call->operation);
    int ranks = c->scenario.ranks;
    bool knows = c->told || !c->vectors || flow == WM_FLOW_ALL || rank == call->root;

    if (flow == WM_FLOW_DOWN && rank == call->root)
        call->send = make_blocks(c, rank, 0, ranks, size_of_rank, arena);
    if (flow != WM_FLOW_DOWN && !call->in_place)
        call->send = one_block(rank_count(c, rank));
    if (flow == WM_FLOW_DOWN && !call->in_place)
        call->receive = one_block(rank_count(c, rank));
    if (flow == WM_FLOW_ALL || (flow == WM_FLOW_UP && rank == call->root))
        call->receive = make_blocks(c, rank, 1, ranks, size_of_rank, arena);
    if (knows)
        call->data = all_blocks(c);
}

static void cast_reduce_scatter(const struct wm_cast *c, struct wm_plan_call *call, int rank)
{
    call->count = c->starts[c->scenario.ranks];
    call->data = all_blocks(c);
    call->receive = one_block(rank_count(c, rank));
}

static void cast_edges(const struct wm_cast *c, struct wm_plan_call *call, int rank, struct wm_arena *arena)
{
    call->neighbours = &c->scenario.topology->of[rank];
    call->send = wm_operation_sends_one_block(c->scenario.operation)
                     ? one_block(rank_count(c, rank))
                     : make_blocks(c, rank, 0, call->neighbours->destination_count, edge_count, arena);
    call->receive = make_blocks(c, rank, 1, call->neighbours->source_count, size_on_edge, arena);
}

static bool is_in_place(const struct wm_cast *c, int rank)
{
    const struct wm_scenario *s = &c->scenario;

    if (!s->in_place || !wm_operation_in_place(s->operation))
        return false;
    return !wm_operation_rooted(s->operation) || rank == s->root;
}

struct wm_plan_call wm_cast_call(const struct wm_cast *c, int rank, struct wm_arena *arena)
{
    const struct wm_scenario *s = &c->scenario;
    bool combines = wm_operation_combines(s->operation) && s->operation != WM_BARRIER;
    struct wm_plan_call call = {
        .operation = s->operation,
        .count = 1,
        .unit_bytes = s->operation == WM_BARRIER ? 0 : s->unit_bytes,
        .root = wm_operation_rooted(s->operation) ? s->root : -1,
        .in_place = is_in_place(c, rank),
        .commutative = s->commutative || !combines,
        .traced = s->traced,
        .shared = !s->unshared,
        .pairs = c->pairs,
    };

    switch (wm_operation_data(s->operation)) {
    case WM_DATA_WHOLE:
        call.count = s->operation == WM_BARRIER ? 1 : s->each;
        break;
    case WM_DATA_BLOCKS:
        if (combines)
            cast_reduce_scatter(c, &call, rank);
        else
            cast_blocks(c, &call, rank, arena);
        break;
    case WM_DATA_PAIRS:
        if (!call.in_place)
            call.send = make_blocks(c, rank, 0, s->ranks, size_to, arena);
        call.receive = make_blocks(c, rank, 1, s->ranks, size_from, arena);
        break;
    case WM_DATA_EDGES:
        cast_edges(c, &call, rank, arena);
        break;
    case WM_DATA_ITEMS:    /* no plan */
    case WM_DATA_MESSAGES: /* carries these */
        break;
    }
    return call;
}
