/* Nodes: the memory's start, and communicators' ranks and areas in it. */
#include "core/node/node.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/data/allocate.h"
#include "core/node/area.h"
#include "core/node/handover.h"
#include "core/node/memory.h"
#include "core/node/progress_library.h"

/* Of MPI_COMM_WORLD; only with other ranks on the node. */
static struct {
    int node;
    const char *host;
    int *process; /* [world ranks] number on the node, -1: elsewhere */
    bool crowded, job_crowded;
} world;

enum { PROCESSORS = 8192, WORDS = PROCESSORS / 64 };

/* Processors that are in `a`, and whether all of them are in `b`. */
static int count_processors(const uint64_t *a, const uint64_t *b, bool *within)
{
    int count = 0;

    *within = true;
    for (int i = 0; i < WORDS; i++) {
        count += __builtin_popcountll(a[i]);
        *within = *within && (a[i] & ~b[i]) == 0;
    }
    return count;
}

/* More ranks have to do with the processors of some rank's mask, or of all masks, than there are in it. */
static bool are_crowded(const uint64_t (*masks)[WORDS], int size)
{
    uint64_t all[WORDS] = {0};
    bool within;

    for (int r = 0; r < size; r++)
        for (int i = 0; i < WORDS; i++)
            all[i] |= masks[r][i];
    if (size > count_processors(all, all, &within))
        return true;
    for (int r = 0; r < size; r++) {
        int ranks = 0, processors = count_processors(masks[r], masks[r], &within);

        for (int other = 0; other < size; other++) {
            count_processors(masks[other], masks[r], &within);
            ranks += within;
        }
        if (ranks > processors)
            return true;
    }
    return false;
}

static bool find_crowded(MPI_Comm comm, int size)
{
    uint64_t own[WORDS] = {0}, (*masks)[WORDS];
    bool crowded;

    masks = wm_allocate_zeroed(sizeof *masks * (size_t)size, "the processors of a node");
    if (sched_getaffinity(0, sizeof own, (cpu_set_t *)own) < 0)
        memset(own, 0, sizeof own); /* one may not know: better yield too often */
    PMPI_Allgather(own, WORDS, MPI_UINT64_T, masks, WORDS, MPI_UINT64_T, comm);
    crowded = are_crowded((const uint64_t(*)[WORDS])masks, size);
    free(masks);
    return crowded;
}

static const char *const fault_names[] = {
#define X(id, text) text,
    WM_MEMORY_FAULTS(X)
#undef X
};

static void tell(const char *host, const struct wm_memory_failure *f)
{
    fprintf(stderr, "waymark: %s: ranks cannot share memory (%s%s%s); messages go through MPI\n", host,
            fault_names[f->fault], f->error != 0 ? ": " : "", f->error != 0 ? strerror(f->error) : "");
}

/* The first failure of a rank of the node, so that all know of it. Also: all have come this far. */
static struct wm_memory_failure first_failure(MPI_Comm comm, struct wm_memory_failure own, int rank, int size)
{
    int mine = own.fault != 0 ? rank : size, first;

    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first < size)
        PMPI_Bcast(&own, sizeof own, MPI_BYTE, first, comm);
    return own;
}

static struct wm_memory_failure joined(MPI_Comm comm, struct wm_memory_failure own, int rank, int size)
{
    if (own.fault == 0)
        wm_memory_sign(rank);
    return first_failure(comm, own, rank, size);
}

/* To those that could not open it. */
static struct wm_memory_failure hand_over(MPI_Comm comm, const struct wm_memory_invitation *invitation,
                                          struct wm_memory_failure own, int rank, int size)
{
    int socket = own.fault == WM_MEMORY_FAULT_OPEN ? wm_handover_await(invitation, rank) : -1, awaits = socket >= 0;
    int *all = wm_allocate(sizeof *all * (size_t)size, "the ranks of a node");

    PMPI_Allgather(&awaits, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int r = 1; rank == 0 && r < size; r++)
        if (all[r])
            wm_handover_send(invitation, r);
    PMPI_Barrier(comm);
    if (awaits)
        own = wm_handover_fetch(invitation, socket);
    free(all);
    return own;
}

static struct wm_memory_failure share(MPI_Comm comm, int rank, int size, int each)
{
    uint64_t own_bytes = wm_memory_affordable(size * each), bytes;
    struct wm_memory_invitation invitation;
    struct wm_memory_failure own = {0, 0}, failed = own;

    PMPI_Allreduce(&own_bytes, &bytes, 1, MPI_UINT64_T, MPI_MIN, comm);
    if (rank == 0 && (failed = wm_memory_make(bytes, size, &invitation)).fault == 0)
        wm_memory->crowded = world.crowded;
    PMPI_Bcast(&failed, sizeof failed, MPI_BYTE, 0, comm);
    if (failed.fault != 0)
        return failed;
    PMPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, comm);
    if (rank > 0)
        own = wm_memory_join(&invitation);
    failed = joined(comm, own, rank, size);
    if (failed.fault == WM_MEMORY_FAULT_OPEN)
        failed = joined(comm, hand_over(comm, &invitation, own, rank, size), rank, size);
    if (rank == 0)
        wm_memory_open_no_more(&invitation);
    return failed;
}

/* Numbers on the node are in the order of world ranks, as those in its communicator. */
static void number_processes(const struct wm_place *places, int ranks)
{
    int number = 0;

    world.process = wm_allocate(sizeof *world.process * (size_t)ranks, "the ranks of a node");
    for (int r = 0; r < ranks; r++)
        world.process[r] = places[r].node == world.node ? number++ : -1;
}

void wm_node_start(const struct wm_place *places, int each)
{
    struct wm_memory_failure failed = {0, 0};
    int rank, ranks, node_rank, size;
    MPI_Comm comm;

    wm_progress_find();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    world.node = places[rank].node;
    world.host = places[rank].host;
    if (PMPI_Comm_split(MPI_COMM_WORLD, world.node, rank, &comm) != MPI_SUCCESS)
        return;
    PMPI_Comm_rank(comm, &node_rank);
    PMPI_Comm_size(comm, &size);
    world.crowded = find_crowded(comm, size);
    PMPI_Allreduce(&world.crowded, &world.job_crowded, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    if (size > 1 || each > 1)
        failed = share(comm, node_rank, size, each);
    if (failed.fault != 0)
        wm_memory_leave();
    if (failed.fault != 0 && node_rank == 0)
        tell(places[rank].host, &failed);
    if (wm_memory != NULL)
        number_processes(places, ranks);
    PMPI_Comm_free(&comm);
}

bool wm_node_job_crowded(void)
{
    return world.job_crowded;
}

void wm_node_stop(void)
{
    wm_memory_leave();
    free(world.process);
    world.process = NULL;
}

static struct wm_node *new_node(int ranks)
{
    struct wm_node *n = wm_allocate_zeroed(sizeof *n + 3 * sizeof(int) * (size_t)ranks, "a communicator's node");

    n->crowded = world.crowded;
    n->ranks = (int *)(n + 1);
    n->local = n->ranks + ranks;
    n->process = n->local + ranks;
    return n;
}

/* This rank, and those that share memory with it. */
static void find_ranks(struct wm_node *n, const struct wm_place *places, int ranks, int self)
{
    for (int r = 0; r < ranks; r++) {
        bool here = wm_memory != NULL && places != NULL && places[r].node == world.node;

        n->local[r] = here || r == self ? n->size : -1;
        if (r == self)
            n->self = n->size;
        if (n->local[r] >= 0) {
            n->process[n->size] = here ? world.process[places[r].world_rank] : 0;
            n->ranks[n->size++] = r;
        }
    }
}

/* Without an area there is nothing to share. */
static void be_alone(struct wm_node *n)
{
    int self = n->ranks[n->self];

    for (int i = 0; i < n->size; i++)
        n->local[n->ranks[i]] = i == n->self ? 0 : -1;
    n->ranks[0] = self;
    n->size = 1;
    n->self = 0;
}

struct wm_node *wm_node_new(const struct wm_place *places, int ranks, int self)
{
    struct wm_node *n = new_node(ranks);

    find_ranks(n, places, ranks, self);
    return n;
}

static void tell_used_up(void)
{
    if (!atomic_exchange(&wm_memory->told_used_up, true))
        fprintf(stderr,
                "waymark: %s: the memory that its ranks share is used up; the messages of further communicators go "
                "through MPI\n",
                world.host);
}

uint64_t wm_node_take_area(const struct wm_node *n, uint64_t bytes, uint64_t before)
{
    uint64_t area = n->size > 1 && n->self == 0 ? wm_area_make(bytes, before) : 0;

    if (area == 0 && bytes > 0 && before == 0 && n->size > 1 && n->self == 0)
        tell_used_up();
    return area;
}

uint64_t wm_node_next_area(uint64_t area)
{
    return wm_area_next(area);
}

void wm_node_give_area(uint64_t area)
{
    wm_area_release(area, 1);
}

void wm_node_use_area(struct wm_node *n, uint64_t area)
{
    n->area = (size_t)area;
    if (area == 0)
        be_alone(n);
}

/* These are the first messages between these ranks on `comm`, and messages of a pair keep their order: whatever tags
 * come later, it cannot be mistaken. */
void wm_node_share_area(struct wm_node *n, MPI_Comm comm)
{
    uint64_t area = wm_node_take_area(n, 0, 0);

    if (n->self > 0)
        PMPI_Recv(&area, 1, MPI_UINT64_T, n->ranks[0], 0, comm, MPI_STATUS_IGNORE);
    for (int i = 1; n->self == 0 && i < n->size; i++)
        PMPI_Send(&area, 1, MPI_UINT64_T, n->ranks[i], 0, comm);
    wm_node_use_area(n, area);
}

void wm_node_free(struct wm_node *n)
{
    if (n == NULL)
        return;
    if (n->area != 0)
        wm_area_release(n->area, n->size);
    free(n);
}

void *wm_node_part(struct wm_node *node, uint64_t key, size_t bytes)
{
    uint64_t offset = node->area != 0 ? wm_area_part(node->area, key & (UINT64_MAX >> 1), bytes) : 0;

    return offset != 0 ? wm_memory_at(offset) : NULL;
}

long wm_node_process_id(const struct wm_node *node, int local)
{
    return wm_memory != NULL ? (long)wm_memory->process[node->process[local]].id : (long)getpid();
}
