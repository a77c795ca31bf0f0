/* The pipeline: hops, links, carriers and tables of a run, built and taken down. */
#include <stdlib.h>
#include <string.h>
#include "core/convey/codec.h"
#include "core/convey/state.h"
#include "core/convey/synchronous.h"
#include "core/error.h"

/* The key of rank's part: the same at all ranks, for all count parts alike. */
static char *part_of(struct wm_conveyor *c, int rank, uint64_t key, size_t bytes)
{
    return wm_node_part(c->node, key * (uint64_t)c->ranks + (uint64_t)rank, bytes);
}

static bool wants_shared(const struct wm_conveyor *c)
{
    return c->node->size > 1 && c->design.inside != WM_CHOOSE_MPI;
}

/* When other parts of the node's memory are taken follows from what all its ranks know, so that their keys agree though
 * one may get none. Collective. */
static void find_ring_keys(struct wm_conveyor *c)
{
    int most_links[WM_ROUTE_HOPS_MAX];

    for (int hop = 0; hop < c->hop_count; hop++)
        most_links[hop] = c->route->hop[hop].links;
    PMPI_Allreduce(MPI_IN_PLACE, most_links, c->hop_count, MPI_INT, MPI_MAX, c->comm);
    c->stats[0][convey_SYNCS]++;
    for (int hop = 0; hop < c->hop_count; hop++) {
        size_t bytes = wm_convey_ring_bytes(&c->form) * (size_t)most_links[hop];

        if (wants_shared(c) && c->ring_room[hop] < bytes) {
            c->ring_key[hop] = ++c->ring_keys;
            c->ring_room[hop] = bytes;
        }
    }
}

/* This rank's rings of a hop; in the node's memory where there is any, else its own, for links to itself. */
static int find_rings(struct wm_conveyor *c, int hop)
{
    size_t bytes = wm_convey_ring_bytes(&c->form) * (size_t)c->route->hop[hop].links;

    free(c->own_rings[hop]);
    c->own_rings[hop] = c->rings[hop] = NULL;
    if (wants_shared(c))
        c->rings[hop] = part_of(c, c->rank, c->ring_key[hop], c->ring_room[hop]);
    c->rings_shared[hop] = c->rings[hop] != NULL;
    if (c->rings[hop] == NULL)
        c->rings[hop] = c->own_rings[hop] = aligned_alloc(64, bytes);
    return c->rings[hop] == NULL ? -WM_ENOMEM : 0;
}

/* Where the rings of each rank stand that has them where this one sees them; NULL elsewhere. */
static char **visible_rings(struct wm_conveyor *c, int hop)
{
    char **rings = calloc((size_t)c->ranks, sizeof *rings);

    for (int i = 0; rings != NULL && wants_shared(c) && i < c->node->size; i++)
        rings[c->node->ranks[i]] = part_of(c, c->node->ranks[i], c->ring_key[hop], c->ring_room[hop]);
    if (rings != NULL)
        rings[c->rank] = c->rings[hop];
    return rings;
}

/* Does the reader of a link find its rings where the writer sees them, and is nothing held? Both ends come to the same
 * answer. */
static bool over_rings(const struct wm_conveyor *c, int hop, char *const *rings, int writer, int reader)
{
    if (writer == reader)
        return true;
    if (c->design.apart != NULL && c->design.apart[writer] != c->design.apart[reader])
        return false;
    return reader == c->rank ? c->rings_shared[hop] && c->node->local[writer] >= 0 : rings[reader] != NULL;
}

/* Which links of a hop go over rings, or, `wanted` false, over MPI. Returns how many. */
static int choose_links(const struct wm_conveyor *c, int hop, char *const *rings, bool wanted, bool *out, bool *in)
{
    const struct wm_route_hop *h = &c->route->hop[hop];
    int count = 0;

    for (int link = 0; link < h->links; link++) {
        int to = h->out[link].rank, from = h->in[link].rank;

        out[link] = to >= 0 && over_rings(c, hop, rings, c->rank, to) == wanted;
        in[link] = from >= 0 && over_rings(c, hop, rings, from, c->rank) == wanted;
        count += out[link] + in[link];
    }
    return count;
}

static const convey_codec_t *codec_of(const struct wm_conveyor *c)
{
    return c->design.codec == WM_CODEC_USER ? c->codec : wm_codec_find(c->design.codec);
}

static int make_carriers(struct wm_conveyor *c, int hop)
{
    struct wm_convey_hop *h = &c->hops[hop];
    int links = h->route->links, rc = -WM_ENOMEM;
    bool *mine = calloc(2 * (size_t)links, sizeof *mine);
    char **rings = visible_rings(c, hop);
    struct wm_carrier_links l = {.hop = h->route,
                                 .number = hop,
                                 .out_mine = mine,
                                 .in_mine = mine + links,
                                 .hot = c->hot + h->route->first_out,
                                 .outlets = h->outlets,
                                 .inlets = h->inlets,
                                 .form = c->form,
                                 .self = c->rank,
                                 .apart = c->design.apart,
                                 .uplink = c->design.apart != NULL ? wm_uplink_find(&c->design.lag) : NULL};
    struct wm_convey_packing packing = {
        .codec = codec_of(c), .arg = c->codec_arg, .elastic = c->wish.elastic, .item_bytes = c->run_item_bytes};

    if (mine != NULL && rings != NULL) {
        choose_links(c, hop, rings, true, mine, mine + links);
        rc = wm_carrier_shm_new(&h->shm, &l, rings, c->rank);
        if (rc == 0 && choose_links(c, hop, rings, false, mine, mine + links) > 0)
            rc = wm_carrier_mpi_new(&h->mpi, &l, c->comm, &c->store, &packing);
    }
    free(mine);
    free(rings);
    return rc;
}

static int make_hop(struct wm_conveyor *c, int hop)
{
    struct wm_convey_hop *h = &c->hops[hop];
    size_t links = (size_t)c->route->hop[hop].links;
    int rc;

    h->route = &c->route->hop[hop];
    h->outlets = calloc(links, sizeof *h->outlets);
    h->inlets = calloc(links, sizeof *h->inlets);
    rc = find_rings(c, hop);
    return rc < 0 || h->outlets == NULL || h->inlets == NULL ? -WM_ENOMEM : make_carriers(c, hop);
}

/* Of several hops those along the outermost axis leave a group. */
static bool is_counted(const struct wm_conveyor *c, int hop)
{
    for (int other = 0; other < c->hop_count; other++)
        if (c->design.axes[other] < c->design.axes[hop])
            return false;
    return true;
}

static void set_counted(struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++)
        for (int link = 0; link < c->hops[hop].route->links; link++)
            if (c->hops[hop].outlets[link] != NULL)
                c->hops[hop].outlets[link]->carrier->uncounted = !is_counted(c, hop);
}

static void connect(struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++)
        for (int link = 0; link < c->hops[hop].route->links; link++)
            c->hot[c->hops[hop].route->first_out + link].link = c->hops[hop].outlets[link];
}

static int make_hops(struct wm_conveyor *c)
{
    int rc = 0;

    c->hop_count = c->route->hops;
    find_ring_keys(c);
    c->hot = aligned_alloc(64, ((size_t)c->route->outlets * sizeof *c->hot + 63) & ~(size_t)63);
    if (c->hot == NULL)
        return -WM_ENOMEM;
    memset(c->hot, 0, (size_t)c->route->outlets * sizeof *c->hot);
    for (int hop = 0; rc == 0 && hop < c->hop_count; hop++)
        rc = make_hop(c, hop);
    if (rc == 0)
        connect(c);
    return rc;
}

/* The worst of all ranks' results, and whether any of them has blocks of the user's. */
static int agreed(struct wm_conveyor *c, int rc)
{
    int mine[2] = {rc == 0 ? 0 : rc == -WM_EINVAL ? convey_error_CODEC : convey_error_ALLOC, -(c->store.blocks > 0)};
    int worst[2];

    PMPI_Allreduce(mine, worst, 2, MPI_INT, MPI_MIN, c->comm);
    c->stats[0][convey_SYNCS]++;
    c->lent = worst[1] < 0;
    return worst[0];
}

static size_t bytes_held(const struct wm_conveyor *c)
{
    return wm_convey_memory(&c->design, &c->form, c->route, c->run_grid->node).total;
}

static size_t monsters_limit(const struct wm_conveyor *c)
{
    return c->wish.max_bytes < WM_MONSTERS_BYTES ? c->wish.max_bytes : WM_MONSTERS_BYTES;
}

/* What goes with the hops, this rank's alone. */
static int make_rest(struct wm_conveyor *c)
{
    if (c->wish.elastic && c->monsters == NULL)
        c->monsters = wm_monsters_new(c->comm, WM_CONVEY_MONSTER_TAGS, monsters_limit(c));
    return c->wish.elastic && c->monsters == NULL ? -WM_ENOMEM : wm_ways_make(c);
}

int wm_pipeline_build(struct wm_conveyor *c)
{
    int rc;

    if (c->design.synchronous && (rc = wm_sync_build(c)) < 0)
        return rc;
    rc = c->design.synchronous ? 0 : make_hops(c);
    rc = agreed(c, rc == 0 ? make_rest(c) : rc);
    if (rc < 0) {
        wm_pipeline_free(c);
        return rc;
    }
    set_counted(c);
    c->bytes_held = bytes_held(c);
    c->built = true;
    c->pipelines++;
    return 0;
}

static void free_hop(struct wm_convey_hop *h)
{
    if (h->mpi != NULL)
        h->mpi->class->free(h->mpi);
    if (h->shm != NULL)
        h->shm->class->free(h->shm);
    free(h->outlets);
    free(h->inlets);
    *h = (struct wm_convey_hop){0};
}

void wm_pipeline_free(struct wm_conveyor *c)
{
    if (c->sync != NULL)
        wm_sync_free(c);
    else
        for (int hop = c->hop_count - 1; hop >= 0; hop--) /* user's allocators want last in, first out */
            free_hop(&c->hops[hop]);
    wm_monsters_free(c->monsters);
    wm_ways_free(c);
    free(c->hot);
    wm_route_free(c->route);
    c->monsters = NULL;
    c->hot = NULL;
    c->route = NULL;
    c->hop_count = 0;
    c->bytes_held = 0;
    c->built = false;
}

static void rewind_link(struct wm_outlet *out, struct wm_inlet *in, struct wm_convey_hop *h)
{
    if (out != NULL) {
        out->ended = out->urgent = false;
        out->handed = 0;
        out->sample.ticks = 0;
    }
    if (in != NULL) {
        in->ended = false;
        in->taken = 0;
        h->open_inlets++;
    }
}

static void rewind_hop(struct wm_conveyor *c, struct wm_convey_hop *h, int number)
{
    h->open_inlets = 0;
    h->ending = h->ended = false;
    h->turn = h->end_turn = (c->rank + number) % h->route->links;
    for (int link = 0; link < h->route->links; link++)
        rewind_link(h->outlets[link], h->inlets[link], h);
    if (h->shm != NULL)
        h->shm->class->rewind(h->shm, c->run);
    if (h->mpi != NULL)
        h->mpi->class->rewind(h->mpi, c->run);
}

void wm_pipeline_rewind(struct wm_conveyor *c)
{
    if (c->sync != NULL)
        wm_sync_rewind(c);
    for (int hop = 0; hop < c->hop_count; hop++)
        if (c->sync == NULL)
            rewind_hop(c, &c->hops[hop], hop);
}
