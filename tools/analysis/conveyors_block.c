/* Back-pressure: waits for room, each followed over whom it waits for to the rank that waits for nobody. */
#include "core/search.h"
#include "tools/analysis/conveyors_raw.h"

#include <stdlib.h>
#include "core/vector.h"

enum { CHAIN_MAX = 16, LOOKED_AT_MAX = 256 };

/* By rank, so that a rank's waits in a run stand together in the order of time. */
static int compare_waits(const void *a, const void *b)
{
    const struct wm_conveyor_wait *x = a, *y = b;
    int order = (x->conveyor > y->conveyor) - (x->conveyor < y->conveyor);

    order = order != 0 ? order : (x->run > y->run) - (x->run < y->run);
    order = order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
    return order != 0 ? order : (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* The first wait that begins at `key`'s time or later. */
static size_t first_from(const struct wm_conveyor_records *raw, const struct wm_conveyor_wait *key)
{
    return WM_COUNT_WHILE(i, raw->wait_count, compare_waits(&raw->waits[i], key) < 0);
}

static int64_t overlap(const struct wm_conveyor_wait *a, const struct wm_conveyor_wait *b)
{
    int64_t from = a->from_ns > b->from_ns ? a->from_ns : b->from_ns, to = a->to_ns < b->to_ns ? a->to_ns : b->to_ns;

    return to - from;
}

/* The wait of the rank that `wait` waits for which covers most of its time, at least half; NULL: there is none. */
static const struct wm_conveyor_wait *next_in_chain(const struct wm_conveyor_records *raw,
                                                    const struct wm_conveyor_wait *wait)
{
    struct wm_conveyor_wait key = {
        .conveyor = wait->conveyor, .run = wait->run, .rank = wait->to, .from_ns = wait->to_ns};
    int64_t most = (wait->to_ns - wait->from_ns + 1) / 2;
    const struct wm_conveyor_wait *best = NULL;

    for (size_t i = first_from(raw, &key), looked = 0; i-- > 0 && looked < LOOKED_AT_MAX; looked++) {
        const struct wm_conveyor_wait *other = &raw->waits[i];

        if (other->conveyor != key.conveyor || other->run != key.run || other->rank != key.rank)
            break;
        if (overlap(wait, other) >= most && overlap(wait, other) > 0) {
            best = other;
            most = overlap(wait, other) + 1;
        }
    }
    return best;
}

/* Ranks that wait for each other in a circle have none outside of it: the circle's last. */
static int find_root(const struct wm_conveyor_records *raw, const struct wm_conveyor_wait *wait)
{
    int met[CHAIN_MAX] = {wait->rank}, count = 1;

    for (; wait != NULL && count < CHAIN_MAX; wait = next_in_chain(raw, wait)) {
        for (int i = 0; i < count; i++)
            if (met[i] == wait->to)
                return met[count - 1];
        met[count++] = wait->to;
    }
    return met[count - 1];
}

static int compare_blocks(const void *a, const void *b)
{
    const struct wm_conveyor_block *x = a, *y = b;
    int order = (x->hop > y->hop) - (x->hop < y->hop);

    order = order != 0 ? order : (x->from > y->from) - (x->from < y->from);
    order = order != 0 ? order : (x->to > y->to) - (x->to < y->to);
    return order != 0 ? order : (x->root > y->root) - (x->root < y->root);
}

static int compare_costs(const void *a, const void *b)
{
    const struct wm_conveyor_block *x = a, *y = b;

    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : compare_blocks(a, b);
}

/* Equal ones become one. */
static void merge(struct wm_conveyor_totals *conveyor)
{
    size_t kept = 0;

    if (conveyor->block_count == 0)
        return;
    qsort(conveyor->blocks, conveyor->block_count, sizeof *conveyor->blocks, compare_blocks);
    for (size_t i = 1; i < conveyor->block_count; i++)
        if (compare_blocks(&conveyor->blocks[kept], &conveyor->blocks[i]) == 0) {
            conveyor->blocks[kept].times += conveyor->blocks[i].times;
            conveyor->blocks[kept].ns += conveyor->blocks[i].ns;
        } else {
            conveyor->blocks[++kept] = conveyor->blocks[i];
        }
    conveyor->block_count = kept + 1;
    qsort(conveyor->blocks, conveyor->block_count, sizeof *conveyor->blocks, compare_costs);
}

/* All waits of one conveyor. */
static int take_conveyor(struct wm_conveyor_records *raw, struct wm_conveyor_totals *conveyor, size_t at, size_t count)
{
    const int32_t *world = raw->trace->communicators[conveyor->communicator].ranks;

    conveyor->blocks = malloc(sizeof *conveyor->blocks * count);
    if (conveyor->blocks == NULL)
        return -WM_ENOMEM;
    for (size_t i = at; i < at + count; i++) {
        const struct wm_conveyor_wait *wait = &raw->waits[i];
        int64_t ns = wait->to_ns - wait->from_ns;

        conveyor->blocked_ns += ns;
        conveyor->blocks[conveyor->block_count++] = (struct wm_conveyor_block){.hop = wait->hop,
                                                                               .from = world[wait->rank],
                                                                               .to = world[wait->to],
                                                                               .root = world[find_root(raw, wait)],
                                                                               .times = 1,
                                                                               .ns = ns};
    }
    merge(conveyor);
    return 0;
}

int wm_conveyors_block(struct wm_conveyor_records *raw)
{
    int rc = 0;

    if (raw->wait_count > 0)
        qsort(raw->waits, raw->wait_count, sizeof *raw->waits, compare_waits);
    for (size_t at = 0, end; at < raw->wait_count && rc == 0; at = end) {
        uint32_t conveyor = raw->waits[at].conveyor;

        for (end = at; end < raw->wait_count && raw->waits[end].conveyor == conveyor;)
            end++;
        rc = take_conveyor(raw, &raw->conveyors->conveyors[conveyor], at, end - at);
    }
    return rc;
}
