/* The memory that ranks of a communicator share, for collectives: those of a process stand in it as any ranks of a
 * node. */
#include <stdlib.h>
#include "core/data/allocate.h"
#include "core/node/node.h"
#include "core/subrank/collective.h"

/* More ranks go by messages: all would read what all write. */
enum { RANKS_MAX = 64, MEETING_TAG = 1 << WM_NET_TAG_BITS };

static const char what[] = "the collectives of a communicator";

static void rest(void)
{
    wm_rank_rest(&wm_world.ranks[wm_worker->running->number]);
}

static struct wm_node *make_node(const struct wm_rank_comm *c)
{
    struct wm_place *places = wm_allocate_zeroed((size_t)c->size * sizeof *places, what);
    struct wm_node *node;

    for (int i = 0; i < c->size; i++) {
        places[i].world_rank = c->group->ranks[i] / wm_world.each;
        places[i].node = wm_world.places[places[i].world_rank].node;
    }
    node = wm_node_new(places, c->size, c->self);
    free(places);
    return node;
}

struct wm_node *wm_rank_node_new(const struct wm_rank_comm *c)
{
    struct wm_node *node = c->size <= RANKS_MAX ? make_node(c) : wm_node_new(NULL, c->size, c->self);

    node->rest = rest;
    return node;
}

static void tell(const struct wm_rank_plans *p, const struct wm_node *node, uint64_t area)
{
    for (int i = 1; i < node->size; i++)
        wm_p2p_send(WM_P2P_STANDARD, &area, 1, MPI_UINT64_T, node->ranks[i], MEETING_TAG, p->messages);
}

/* Calls go by the map's paths or by built-in ones. */
static uint64_t lanes_bytes(const struct wm_rank_plans *p, const struct wm_node *node)
{
    return wm_kin_lanes_bytes(p->own.kin.ground, node) +
           (p->mapped != NULL ? wm_kin_lanes_bytes(p->mapped->kin.ground, node) : 0);
}

void wm_rank_node_meet(const struct wm_rank_comm *c)
{
    struct wm_rank_plans *p = c->plans;
    struct wm_node *node = p->end->node;
    uint64_t area = wm_node_take_area(node, lanes_bytes(p, node), 0);

    p->met = true;
    if (node->size == 1)
        return;
    if (node->self == 0)
        tell(p, node, area);
    else
        wm_p2p_recv(&area, 1, MPI_UINT64_T, node->ranks[0], MEETING_TAG, p->messages, MPI_STATUS_IGNORE);
    wm_node_use_area(node, area);
}
