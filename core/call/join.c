/* Joining: numbers and areas, told in one allgather. */
#include "core/call/join.h"

#include <stdlib.h>
#include "core/call/pool.h"
#include "core/data/allocate.h"
#include "core/hash.h"
#include "core/node/memory.h"
#include "core/node/progress_library.h"

/* An entry is what a rank tells the others: the offset of its node's area, a multiple of a memory piece, and below it
 * its number + 1; 0 is none of either. Or it is an offer: the token of a record of the pool. */
enum { NUMBER_BITS = 16, AREA_SHIFT = 4 };

static const uint64_t OFFER = UINT64_C(1) << 63;

_Static_assert(WM_MEMORY_PIECE_BYTES << AREA_SHIFT >= 1 << NUMBER_BITS, "an area's offset and a number fit an entry");

struct wm_joining {
    MPI_Request request;
    uint64_t own, all[];
};

static uint64_t make_entry(uint64_t area, int number)
{
    return area << AREA_SHIFT | (uint64_t)(number + 1);
}

static uint64_t area_of(uint64_t entry)
{
    return entry >> NUMBER_BITS << NUMBER_BITS >> AREA_SHIFT;
}

static int number_of(uint64_t entry)
{
    return (int)(entry & ((1 << NUMBER_BITS) - 1)) - 1;
}

static struct wm_place *new_places(const struct wm_comm *c)
{
    struct wm_place *places = wm_allocate(sizeof *places * (size_t)c->ranks, "a communicator");

    for (int r = 0; r < c->ranks; r++)
        places[r] = c->places != NULL ? c->places[r] : wm_process.places[c->world[r]];
    return places;
}

/* The grid, and the ranks of this node. Returns 0, or -WM_E… with the error filled, the same at all ranks. */
static int make_grid(struct wm_comm *c, struct wm_error *error)
{
    struct wm_place *places = new_places(c);
    int rc = wm_grid_init(&c->grid, c->map->grid_spec, c->ranks, places, error);

    if (rc < 0) {
        wm_map_source_quote(c->map, error);
    } else {
        c->nodes = wm_grid_count_nodes(places, c->ranks);
        c->uniform = wm_grid_uniform(&c->grid);
        c->consecutive = wm_grid_consecutive(&c->grid);
        c->node = wm_node_new(places, c->ranks, c->rank);
    }
    free(places);
    return rc;
}

/* On so many axes of the grid ranks of the node differ. */
static int count_axes(const struct wm_comm *c)
{
    const int *ranks = c->node->ranks;
    int count = 0;

    for (int axis = 0; axis < c->grid.axis_count; axis++) {
        const int *group = c->grid.axes[axis].group;
        int i = 1;

        while (i < c->node->size && group[ranks[i]] == group[ranks[0]])
            i++;
        count += i < c->node->size;
    }
    return count;
}

/* A path may put the node's ranks into groups along any of these axes, and each needs a lane. */
static uint64_t needed_bytes(const struct wm_comm *c)
{
    int size = c->node->size;

    return (((uint64_t)1 << count_axes(c)) - 1) * wm_lanes_bytes(size) + wm_net_shm_bytes(size);
}

static void be_native(struct wm_comm *c, enum wm_native_reason reason)
{
    wm_join_undo(c);
    c->native_only = true;
    c->native_reason = reason;
}

static void tell(struct wm_comm *c, uint64_t own)
{
    c->joining = wm_allocate(sizeof *c->joining + sizeof(uint64_t) * (size_t)c->ranks, "a communicator");
    c->joining->own = own;
    c->joining->request = MPI_REQUEST_NULL;
}

/* False: it stays native, at all ranks. */
static bool prepare(struct wm_comm *c)
{
    struct wm_error error = {0};

    if (make_grid(c, &error) < 0) {
        wm_process_fail(c->user, &error, c->rank == 0);
        be_native(c, WM_NATIVE_COMM_FAILED);
        return false;
    }
    c->number = wm_net_number_take();
    tell(c, make_entry(wm_node_take_area(c->node, needed_bytes(c)), c->number));
    return true;
}

static void make_engine(struct wm_comm *c)
{
    struct wm_net_peers peers = {c->world, c->numbers, c->rank};
    struct wm_engine_parts parts = {.nets[WM_NET_MPI] = wm_net_mpi_new(&peers),
                                    .nets[WM_NET_SHM] = c->node->size > 1 ? wm_net_shm_new(c->node) : NULL,
                                    .node = c->node,
                                    .ring = wm_process.ring,
                                    .communicator = c->id};

    c->engine = wm_engine_new(&parts);
}

static void end_joining(struct wm_comm *c)
{
    free(c->joining);
    c->joining = NULL;
    c->joined = WM_JOINED;
}

/* All have told all. */
static void finish(struct wm_comm *c)
{
    const uint64_t *all = c->joining->all;
    bool numbered = true;

    c->token = WM_HASH_BEGIN;
    c->numbers = wm_allocate(sizeof *c->numbers * (size_t)c->ranks, "a communicator");
    for (int r = 0; r < c->ranks; r++) {
        c->token = wm_hash_add(c->token, all[r]);
        numbered = numbered && number_of(all[r]) >= 0;
        c->numbers[r] = (uint16_t)number_of(all[r]);
    }
    if (c->node->size > 1)
        wm_node_use_area(c->node, area_of(all[c->node->ranks[0]]));
    end_joining(c);
    if (numbered)
        make_engine(c);
    else
        be_native(c, WM_NATIVE_NUMBERS);
}

static void check(int rc)
{
    struct wm_error error = {0};

    if (rc == MPI_SUCCESS)
        return;
    wm_error_set(&error, -WM_EMPI,
                 "the MPI library's allgather failed when a communicator was used for the first time");
    wm_process_abort(&error);
}

static void note_name(struct wm_comm *c)
{
    char name[MPI_MAX_OBJECT_NAME];

    wm_comm_name(c, name);
    c->name = wm_comm_name_hash(name);
}

void wm_join_begin(struct wm_comm *c)
{
    if (c->joined != WM_NOT_JOINED)
        return;
    note_name(c);
    if (!prepare(c))
        return;
    c->joined = WM_JOINING;
    check(PMPI_Iallgather(&c->joining->own, 1, MPI_UINT64_T, c->joining->all, 1, MPI_UINT64_T, c->user,
                          &c->joining->request));
}

bool wm_join_advance(struct wm_comm *c)
{
    int flag = 0;

    if (c->joined != WM_JOINING)
        return true;
    check(PMPI_Test(&c->joining->request, &flag, MPI_STATUS_IGNORE));
    if (flag)
        finish(c);
    return flag;
}

static void tell_all(struct wm_comm *c)
{
    struct wm_joining *j = c->joining;

    check(PMPI_Allgather(&j->own, 1, MPI_UINT64_T, j->all, 1, MPI_UINT64_T, c->user));
}

/* How many ranks tell the entry; of OFFER, how many make any offer. */
static int count_entries(const struct wm_comm *c, uint64_t entry)
{
    int count = 0;

    for (int r = 0; r < c->ranks; r++)
        count += entry == OFFER ? (c->joining->all[r] & OFFER) != 0 : c->joining->all[r] == entry;
    return count;
}

/* All ranks have offered one record, or else none takes its own over. */
static void take_over(struct wm_comm *c, struct wm_comm *gone)
{
    if (count_entries(c, c->joining->own) == c->ranks) {
        end_joining(c);
        wm_pool_adopt(c, gone);
        return;
    }
    free(c->joining);
    wm_pool_put_back(gone);
    if (prepare(c)) {
        tell_all(c);
        finish(c);
    }
}

/* At a place in its program where all ranks are. */
static void join_at_once(struct wm_comm *c)
{
    struct wm_comm *gone;

    note_name(c);
    if ((gone = wm_pool_take(c)) != NULL)
        tell(c, gone->token | OFFER);
    else if (!prepare(c))
        return;
    tell_all(c);
    if (gone != NULL) {
        take_over(c, gone);
        return;
    }
    if (count_entries(c, OFFER) > 0)
        tell_all(c);
    finish(c);
}

void wm_join(struct wm_comm *c)
{
    if (c->joined == WM_NOT_JOINED)
        join_at_once(c);
    while (!wm_join_advance(c))
        wm_progress_idle();
}

void wm_join_undo(struct wm_comm *c)
{
    wm_engine_free(c->engine);
    wm_node_free(c->node);
    wm_grid_release(&c->grid);
    free(c->numbers);
    if (c->number >= 0)
        wm_net_number_give(c->number);
    c->engine = NULL;
    c->node = NULL;
    c->numbers = NULL;
    c->number = -1;
}
