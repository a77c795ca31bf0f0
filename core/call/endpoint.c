/* Endpoints: made and freed. */
#include "core/call/endpoint.h"
#include "core/call/publish.h"

#include <stdlib.h>
#include "core/call/kin.h"
#include "core/data/allocate.h"
#include "core/hash.h"

int wm_endpoint_count(const struct wm_kin *kin, const struct wm_seeds *seeds)
{
    int count = WM_SEEDS_MAX;

    for (int r = 0; r < kin->ground->ranks; r++) {
        int own = wm_seed_hear(seeds->words[r * seeds->stride]).count;

        count = own < count ? own : count;
    }
    return count;
}

/* The area of the first of those that are made, 0: none. */
static uint64_t first_area(const struct wm_kin *kin, const struct wm_seeds *seeds)
{
    return kin->node->size > 1 ? wm_seed_hear(seeds->words[kin->node->ranks[0] * seeds->stride]).area : 0;
}

/* All numbers of the one with this ordinal, and its token. Those that were made at once are taken in order: they stand
 * in memory so. */
static void set_numbers(struct wm_endpoint *e, const struct wm_seeds *seeds, int ordinal)
{
    enum { ORDINAL_BITS = 8 };
    uint64_t token = WM_HASH_BEGIN;

    _Static_assert(WM_SEEDS_MAX < 1 << ORDINAL_BITS, "an ordinal fits a token");

    for (int r = 0; r < e->kin->ground->ranks; r++) {
        wm_seed_word word = seeds->words[r * seeds->stride];

        e->numbers[r] = (uint16_t)(wm_seed_hear(word).number + ordinal);
        token = wm_hash_add(token, word);
    }
    e->token = token << ORDINAL_BITS | (uint64_t)(ordinal + 1);
}

static void make_engine(struct wm_endpoint *e, uint32_t id)
{
    struct wm_net_peers peers = {e->kin->ground->world, e->numbers, e->kin->rank};
    struct wm_engine_parts parts = {.nets[WM_NET_MPI] = wm_net_mpi_new(&peers),
                                    .node = e->node,
                                    .ring = wm_process.recordings != NULL ? wm_process_ring() : NULL,
                                    .communicator = id,
                                    .self = e->kin->rank,
                                    .page = wm_process.threads ? NULL : wm_published,
                                    .watched = wm_process.settings.guard == WM_GUARD_WATCH};

    e->engine = wm_engine_new(&parts);
}

static struct wm_endpoint *new_endpoint(struct wm_kin *kin, const struct wm_seeds *seeds, int ordinal, uint64_t area,
                                        uint32_t id)
{
    struct wm_endpoint *e =
        wm_allocate_zeroed(sizeof *e + sizeof *e->numbers * (size_t)kin->ground->ranks, "a communicator");

    e->kin = wm_kin_take(kin);
    set_numbers(e, seeds, ordinal);
    e->node = wm_node_new(kin->ground->places, kin->ground->ranks, kin->rank);
    if (e->node->size > 1)
        wm_node_use_area(e->node, area);
    make_engine(e, id);
    return e;
}

/* They will begin with a call as the last one was. Each rank of the node starts elsewhere: what one of them has made in
 * the node's memory the others find. */
static void expect_calls(struct wm_kin *kin, struct wm_endpoint *const *endpoints, int count)
{
    struct wm_kept_plan *latest = wm_plans_latest(&kin->plans);
    int first = kin->node->self * count / kin->node->size;

    if (latest == NULL)
        return;
    for (int i = 0; i < count; i++)
        wm_engine_expect(endpoints[(first + i) % count]->engine, latest->plan);
    wm_kept_plan_give(latest);
}

struct wm_endpoint *wm_endpoint_new(struct wm_kin *kin, const struct wm_seeds *seeds, int count, uint32_t id)
{
    struct wm_endpoint *made[WM_SEEDS_MAX];
    uint64_t area = first_area(kin, seeds);

    for (int i = 0; i < count; i++) {
        made[i] = new_endpoint(kin, seeds, i, area, id);
        if (i > 0)
            made[i - 1]->next = made[i];
        area = area != 0 && i + 1 < count ? wm_node_next_area(area) : 0;
    }
    if (count > 1)
        expect_calls(kin, made + 1, count - 1);
    wm_kin_count(kin, count);
    return made[0];
}

void wm_endpoint_free(struct wm_endpoint *e)
{
    if (e == NULL)
        return;
    wm_engine_free(e->engine);
    wm_node_free(e->node);
    wm_net_number_give(e->numbers[e->kin->rank]);
    wm_kin_give(e->kin);
    free(e);
}
