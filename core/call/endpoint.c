/* Endpoints: prepared, opened, taken over and released. */
#include "core/call/endpoint.h"

#include <stdlib.h>
#include "core/call/kin.h"
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/node/memory.h"

enum { NUMBER_BITS = 16, AREA_SHIFT = 4 };

_Static_assert(WM_MEMORY_PIECE_BYTES << AREA_SHIFT >= 1 << NUMBER_BITS, "an area's offset and a number fit an entry");

static uint64_t area_of(wm_endpoint_entry entry)
{
    return entry >> NUMBER_BITS << NUMBER_BITS >> AREA_SHIFT;
}

static int number_of(wm_endpoint_entry entry)
{
    return (int)(entry & ((1 << NUMBER_BITS) - 1)) - 1;
}

/* On so many axes of the grid ranks of the node differ. */
static int count_axes(const struct wm_endpoint *e)
{
    const struct wm_grid *grid = &e->kin->grid;
    const int *ranks = e->node->ranks;
    int count = 0;

    for (int axis = 0; axis < grid->axis_count; axis++) {
        const int *group = grid->axes[axis].group;
        int i = 1;

        while (i < e->node->size && group[ranks[i]] == group[ranks[0]])
            i++;
        count += i < e->node->size;
    }
    return count;
}

/* A path may put the node's ranks into groups along any of these axes, and each needs a lane. */
static uint64_t needed_bytes(const struct wm_endpoint *e)
{
    int size = e->node->size;

    return (((uint64_t)1 << count_axes(e)) - 1) * wm_lanes_bytes(size) + wm_net_shm_bytes(size);
}

/* The first of the node's ranks takes the area. */
wm_endpoint_entry wm_endpoint_offer(struct wm_endpoint *e)
{
    if (e->spare == 0 && e->node->self == 0 && e->node->size > 1)
        e->spare = wm_node_take_area(e->node, needed_bytes(e));
    return e->spare << AREA_SHIFT | (uint64_t)(e->number + 1);
}

wm_endpoint_entry wm_endpoint_prepare(struct wm_endpoint *e, struct wm_kin *kin)
{
    *e = (struct wm_endpoint){.kin = wm_kin_take(kin), .number = wm_net_number_take()};
    e->node = wm_node_new(kin->places, kin->ranks, kin->rank);
    return wm_endpoint_offer(e);
}

static void close(struct wm_endpoint *e)
{
    wm_engine_free(e->engine);
    wm_node_free(e->node);
    free(e->numbers);
    e->engine = NULL;
    e->node = NULL;
    e->numbers = NULL;
}

void wm_endpoint_renew(struct wm_endpoint *e)
{
    close(e);
    e->node = wm_node_new(e->kin->places, e->kin->ranks, e->kin->rank);
}

static void make_engine(struct wm_endpoint *e, uint32_t id)
{
    struct wm_net_peers peers = {e->kin->world, e->numbers, e->kin->rank};
    struct wm_engine_parts parts = {.nets[WM_NET_MPI] = wm_net_mpi_new(&peers),
                                    .nets[WM_NET_SHM] = e->node->size > 1 ? wm_net_shm_new(e->node) : NULL,
                                    .node = e->node,
                                    .ring = wm_process.ring,
                                    .communicator = id};

    e->engine = wm_engine_new(&parts);
}

bool wm_endpoint_open(struct wm_endpoint *e, const wm_endpoint_entry *entries, int stride, uint32_t id)
{
    int ranks = e->kin->ranks;
    bool numbered = true;

    e->token = WM_HASH_BEGIN;
    e->numbers = wm_allocate(sizeof *e->numbers * (size_t)ranks, "a communicator");
    for (int r = 0; r < ranks; r++) {
        wm_endpoint_entry entry = entries[r * stride];

        e->token = wm_hash_add(e->token, entry);
        numbered = numbered && number_of(entry) >= 0;
        e->numbers[r] = (uint16_t)number_of(entry);
    }
    e->token |= 1;
    e->spare = 0;
    if (e->node->size > 1)
        wm_node_use_area(e->node, area_of(entries[e->node->ranks[0] * stride]));
    if (numbered)
        make_engine(e, id);
    return numbered;
}

void wm_endpoint_release(struct wm_endpoint *e)
{
    if (e->kin == NULL)
        return;
    close(e);
    if (e->spare != 0)
        wm_node_give_area(e->spare);
    if (e->number >= 0)
        wm_net_number_give(e->number);
    wm_kin_give(e->kin);
    *e = (struct wm_endpoint){0};
}
