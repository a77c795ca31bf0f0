/* Synchronous conveyors: groups, and the step that all ranks take together. */
#include "core/convey/synchronous.h"

#include <stdlib.h>
#include "core/convey/carrier_sync.h"
#include "core/convey/trace.h"
#include "core/error.h"

struct wm_synchronous {
    MPI_Comm all; /* ranks as in the conveyor's communicator */
    MPI_Comm group[WM_ROUTE_HOPS_MAX];
    struct wm_carrier *carriers[WM_ROUTE_HOPS_MAX];
};

/* What a rank tells the others in a step. Bits of hops stand from LOADED and LANDED on. */
enum {
    UNDONE = 1,
    WANTED = 2,
    PULLS = 4,
    HELD = 8,
    UNSENT = 16,
    LOADED = 1 << 8,
    LANDED = 1 << 16,
    EVERY_LOADED = LANDED - LOADED
};

/* ---- building ---- */

static int least(struct wm_conveyor *c, int mine)
{
    int least;

    PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, c->comm);
    c->stats[0][convey_SYNCS]++;
    return least;
}

/* The first rank that this hop's links lead to; -1: they do not lead to all of a row or column, once each. */
static int row_of(const struct wm_route *route, const struct wm_route_hop *h)
{
    int row = route->ranks;

    for (int link = 0; link < h->links; link++) {
        if (h->out[link].rank < 0 || h->in[link].rank < 0)
            return -1;
        if (h->out[link].rank < row)
            row = h->out[link].rank;
    }
    return route->cells == 1 && h->links == h->fan ? row : -1;
}

static bool spans_all(const struct wm_route *route, const struct wm_route_hop *h)
{
    return h->links >= route->ranks;
}

/* The group of a hop: its row or column where all ranks have one, else all ranks. */
static void make_group(struct wm_conveyor *c, int hop)
{
    const struct wm_route_hop *h = &c->route->hop[hop];
    int row = row_of(c->route, h), size;
    bool rows = least(c, row >= 0 && !spans_all(c->route, h)) != 0;

    c->sync->group[hop] = c->sync->all;
    if (!rows)
        return;
    MPI_Comm_split(c->sync->all, row, c->rank, &c->sync->group[hop]);
    PMPI_Comm_size(c->sync->group[hop], &size);
    if (least(c, size == h->links) != 0)
        return;
    MPI_Comm_free(&c->sync->group[hop]);
    c->sync->group[hop] = c->sync->all;
}

/* The rank in the hop's group of each rank that its links know. */
static bool find_members(struct wm_conveyor *c, int hop, int *member)
{
    int *ranks = malloc(sizeof *ranks * (size_t)c->ranks);
    MPI_Group all, group;

    for (int r = 0; ranks != NULL && r < c->ranks; r++)
        ranks[r] = r;
    PMPI_Comm_group(c->sync->all, &all);
    PMPI_Comm_group(c->sync->group[hop], &group);
    if (ranks != NULL)
        PMPI_Group_translate_ranks(all, c->ranks, ranks, group, member);
    PMPI_Group_free(&all);
    PMPI_Group_free(&group);
    free(ranks);
    return ranks != NULL;
}

static int make_carrier(struct wm_conveyor *c, int hop)
{
    struct wm_convey_hop *h = &c->hops[hop];
    int *member = malloc(sizeof *member * (size_t)c->ranks), rc = -WM_ENOMEM;
    struct wm_carrier_links links = {.hop = h->route,
                                     .number = hop,
                                     .hot = c->hot + h->route->first_out,
                                     .outlets = h->outlets,
                                     .inlets = h->inlets,
                                     .form = c->form};

    if (member != NULL && find_members(c, hop, member))
        rc = wm_carrier_sync_new(&c->sync->carriers[hop], &links, c->sync->group[hop], member, &c->store);
    free(member);
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
    rc = h->outlets == NULL || h->inlets == NULL ? -WM_ENOMEM : make_carrier(c, hop);
    for (size_t link = 0; rc == 0 && link < links; link++)
        c->hot[(size_t)h->route->first_out + link].link = h->outlets[link];
    return rc;
}

static int make_hops(struct wm_conveyor *c)
{
    int rc = 0;

    if ((c->hot = calloc((size_t)c->route->outlets, sizeof *c->hot)) == NULL)
        return -WM_ENOMEM;
    c->hop_count = c->route->hops;
    for (int hop = 0; rc == 0 && hop < c->hop_count; hop++)
        rc = make_hop(c, hop);
    return rc;
}

int wm_sync_build(struct wm_conveyor *c)
{
    struct wm_synchronous *sync = calloc(1, sizeof *sync);

    if (least(c, sync != NULL) == 0) {
        free(sync);
        wm_pipeline_free(c);
        return convey_error_ALLOC;
    }
    c->sync = sync;
    MPI_Comm_split(c->comm, 0, c->rank, &sync->all);
    for (int hop = 0; hop < c->route->hops; hop++)
        make_group(c, hop);
    if (least(c, make_hops(c)) == 0)
        return 0;
    wm_pipeline_free(c);
    return convey_error_ALLOC;
}

static void free_hop(struct wm_convey_hop *h, struct wm_carrier *carrier)
{
    if (carrier != NULL)
        carrier->class->free(carrier);
    free(h->outlets);
    free(h->inlets);
    *h = (struct wm_convey_hop){0};
}

void wm_sync_free(struct wm_conveyor *c)
{
    struct wm_synchronous *sync = c->sync;

    for (int hop = WM_ROUTE_HOPS_MAX - 1; hop >= 0; hop--)
        free_hop(&c->hops[hop], sync->carriers[hop]);
    for (int hop = 0; hop < c->route->hops; hop++)
        if (sync->group[hop] != sync->all)
            MPI_Comm_free(&sync->group[hop]);
    MPI_Comm_free(&sync->all);
    free(sync);
    c->sync = NULL;
}

static void rewind_link(struct wm_convey_hop *h, int link)
{
    struct wm_outlet *out = h->outlets[link];
    struct wm_inlet *in = h->inlets[link];

    if (out != NULL) {
        out->ended = out->urgent = false;
        out->handed = 0;
        out->open_at = NULL;
        out->hot->at = out->hot->limit = NULL;
    }
    if (in != NULL) {
        in->ended = false;
        in->taken = 0;
        in->chunk.units = 0;
        h->open_inlets++;
    }
}

void wm_sync_rewind(struct wm_conveyor *c)
{
    for (int hop = 0; hop < c->hop_count; hop++) {
        struct wm_convey_hop *h = &c->hops[hop];

        h->open_inlets = 0;
        h->ending = h->ended = false;
        h->turn = c->rank % h->route->links;
        for (int link = 0; link < h->route->links; link++)
            rewind_link(h, link);
        c->sync->carriers[hop]->class->rewind(c->sync->carriers[hop], c->run);
    }
}

/* ---- the step ---- */

/* The last hop may not receive: something is there to be pulled, or lent, and no memory beside it. */
static bool has_pulls(struct wm_conveyor *c)
{
    struct wm_carrier *last = c->sync->carriers[c->hop_count - 1];

    wm_pull_settle(c);
    wm_pull_let_go(c);
    return wm_carrier_sync_landed(last);
}

static unsigned tell(struct wm_conveyor *c)
{
    unsigned bits = (c->state == convey_WORKING ? UNDONE : 0) | (has_pulls(c) ? PULLS : 0);

    if (!wm_carrier_sync_spare(c->sync->carriers[c->hop_count - 1]))
        bits |= HELD;
    if (c->monsters != NULL && !wm_monsters_idle(c->monsters))
        bits |= UNSENT;
    if (c->monsters_full)
        bits |= WANTED; /* their tickets are to go */
    c->monsters_full = false;
    for (int hop = 0; hop < c->hop_count; hop++) {
        const struct wm_carrier *carrier = c->sync->carriers[hop];

        bits |= hop == 0 && wm_carrier_sync_wanted(carrier) ? WANTED : 0;
        bits |= wm_carrier_sync_loaded(carrier) ? (unsigned)LOADED << hop : 0;
        if (hop + 1 < c->hop_count && wm_carrier_sync_landed(carrier))
            bits |= (unsigned)LANDED << hop;
    }
    return bits;
}

static void close_hop(struct wm_conveyor *c, int hop, enum wm_convey_reason reason)
{
    for (int link = 0; link < c->hops[hop].route->links; link++)
        if (c->hops[hop].outlets[link] != NULL)
            wm_flow_close(c, c->hops[hop].outlets[link], reason);
}

static bool exchange(struct wm_conveyor *c, int hop, enum wm_convey_reason reason)
{
    int calls;

    close_hop(c, hop, reason);
    calls = wm_carrier_sync_exchange(c->sync->carriers[hop], c->align);
    c->stats[0][convey_SYNCS] += calls;
    return calls > 0;
}

/* Bring on what can be. An exchange makes room for what waits before it, and gives work to what comes behind it. */
static bool exchange_hops(struct wm_conveyor *c, unsigned all)
{
    bool ending = (all & UNDONE) == 0, flowing = ending || c->design.steady || (all & WANTED) != 0;

    if (!(all & LOADED))
        flowing = false;
    for (int hop = 0; hop < c->hop_count; hop++) {
        unsigned loaded = (unsigned)LOADED << hop, landed = (unsigned)LANDED << hop;

        if (hop > 0 && (all & loaded) != 0)
            flowing = true;
        flowing = flowing && (all & landed) == 0;
        if (!flowing)
            continue;
        if (!exchange(c, hop, ending ? WM_REASON_ENDGAME : WM_REASON_FLUSH))
            return false;
        if (hop > 0)
            wm_relay(c, hop - 1);
        if (hop + 1 < c->hop_count)
            wm_relay(c, hop);
    }
    return true;
}

static void move_on(struct wm_conveyor *c, unsigned all)
{
    if ((all & ~(unsigned)(PULLS | HELD | UNSENT | WANTED)) != 0)
        return;
    wm_carrier_sync_end(c->sync->carriers[c->hop_count - 1]);
    wm_convey_enter(c, convey_CLEANUP);
    if ((all & (PULLS | UNSENT)) == 0)
        wm_convey_enter(c, convey_COMPLETE);
}

int wm_sync_advance(struct wm_conveyor *c)
{
    bool moved = c->monsters != NULL && wm_monsters_progress(c->monsters);
    unsigned mine = tell(c), all;

    c->stats[0][convey_SYNCS]++;
    if (MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED, MPI_BOR, c->sync->all) != MPI_SUCCESS)
        return convey_error_MPI;
    if ((all & (PULLS | HELD)) == 0 && !exchange_hops(c, all))
        return convey_error_MPI;
    moved |= (all & (PULLS | HELD)) == 0 && (all & EVERY_LOADED) != 0;
    if (c->handler != NULL)
        moved |= wm_convey_handle(c) > 0;
    move_on(c, all);
    if (c->trace != NULL)
        wm_convey_trace_advance(c, moved);
    return convey_OK;
}
