/* When clocks are compared, and with whom. */
#include "core/record/clock_sync.h"

#include <stdint.h>
#include <stdlib.h>
#include "core/clock/over_mpi.h"
#include "core/record/clock_group.h"
#include "core/data/allocate.h"
#include "core/data/own_comm.h"
#include "core/process/process.h"
#include "tracer/clock.h"

enum { EXCHANGES = 20, FIRST_STEP = 8 };
static const uint64_t MEET_EVERY_NS = 500000000, COMPARE_EVERY_NS = 1000000000;

bool wm_clock_sync_counts;

static struct {
    MPI_Comm comm;                  /* of all processes, in the order of `ranks`; MPI_COMM_NULL: not started */
    int *ranks;                     /* the lowest one of each */
    struct wm_recording *recording; /* that of this process's */
    struct wm_clock_group group;
    uint64_t calls, due, step;    /* counted; the next meeting; from the last to it */
    uint64_t met_ns, compared_ns; /* rank 0's */
} sync = {.comm = MPI_COMM_NULL};

/* What rank 0 says when all meet. */
struct notice {
    uint64_t step;
    uint64_t compare;
};

/* The root has no record of its own, but pairs of clocks like everyone. */
static void compare(void)
{
    const struct wm_clock_way way = wm_clock_over_mpi(&(struct wm_clock_comm){sync.comm, sync.group.leaders});
    struct wm_clock_view view;
    int parent;

    if (sync.group.place < 0 || sync.group.leader_count == 1)
        return;
    if (sync.group.place == 0)
        wm_recorder_clock(sync.recording->ring);
    parent = wm_clock_compare(&way, sync.group.place, sync.group.leader_count, EXCHANGES, &view);
    if (parent >= 0)
        wm_recorder_sync(sync.recording->recorder, sync.ranks[sync.group.leaders[parent]], &view.offset);
}

static void begin_counting(void)
{
    sync.calls = 0;
    sync.due = sync.step = FIRST_STEP;
    sync.met_ns = sync.compared_ns = wm_clock_monotonic_ns();
    wm_clock_sync_counts = sync.group.leader_count > 1 && !wm_process.threads && wm_process.each == 0;
}

static void find_lowest(void)
{
    sync.recording = wm_process.recordings;
    for (int i = 1; i < wm_process_recording_count(); i++)
        if (wm_process.recordings[i].rank < sync.recording->rank)
            sync.recording = &wm_process.recordings[i];
}

/* A map may number subranks so that processes stand in another order than their lowest ranks. */
static int make_comm(void)
{
    int rc = wm_own_comm_make(MPI_COMM_WORLD, &sync.comm);
    MPI_Comm own = sync.comm;

    if (rc != MPI_SUCCESS || wm_process.each == 0)
        return rc;
    rc = PMPI_Comm_split(own, 0, sync.recording->rank, &sync.comm);
    PMPI_Comm_free(&own);
    return rc;
}

static int list_ranks(void)
{
    int size;

    PMPI_Comm_size(sync.comm, &size);
    sync.ranks = wm_allocate(sizeof *sync.ranks * (size_t)size, "the ranks' clocks");
    return PMPI_Allgather(&sync.recording->rank, 1, MPI_INT, sync.ranks, 1, MPI_INT, sync.comm);
}

static void release(void)
{
    free(sync.ranks);
    sync.ranks = NULL;
    PMPI_Comm_free(&sync.comm);
}

/* Of the ranks of this process, all but who leads. */
static void share_clock(void)
{
    int leader = sync.ranks[sync.group.leader];

    for (int i = 0; i < wm_process_recording_count(); i++)
        if (wm_process.recordings[i].rank != leader)
            wm_recorder_share_clock(wm_process.recordings[i].recorder, leader);
}

void wm_clock_sync_start(void)
{
    find_lowest();
    if (make_comm() != MPI_SUCCESS)
        return;
    if (list_ranks() != MPI_SUCCESS || wm_clock_group_find(&sync.group, sync.comm) < 0) {
        release();
        return;
    }
    share_clock();
    compare();
    begin_counting();
}

void wm_clock_sync_stop(void)
{
    wm_clock_sync_counts = false;
    if (sync.comm == MPI_COMM_NULL)
        return;
    compare();
    wm_clock_group_release(&sync.group);
    release();
}

/* Calls in half a second at the rate since the last meeting, but at most twice as many as lay between the last two. */
static uint64_t next_step(uint64_t elapsed_ns)
{
    double calls = (double)sync.step * (double)MEET_EVERY_NS / (double)(elapsed_ns + 1);

    if (calls >= (double)(2 * sync.step))
        return 2 * sync.step;
    return calls >= 1 ? (uint64_t)calls : 1;
}

static void write_notice(struct notice *notice)
{
    uint64_t now_ns = wm_clock_monotonic_ns();

    notice->step = next_step(now_ns - sync.met_ns);
    notice->compare = now_ns - sync.compared_ns >= COMPARE_EVERY_NS;
    sync.met_ns = now_ns;
    if (notice->compare)
        sync.compared_ns = now_ns;
}

/* Ranks that have no clock to compare go on at once. */
static void meet(void)
{
    struct notice notice = {0};

    if (wm_process.world_rank == 0)
        write_notice(&notice);
    if (PMPI_Bcast(&notice, sizeof notice, MPI_BYTE, 0, sync.comm) != MPI_SUCCESS || notice.step == 0) {
        wm_clock_sync_counts = false;
        return;
    }
    sync.step = notice.step;
    sync.due = sync.calls + notice.step;
    if (notice.compare)
        compare();
}

/* Signatures without data bind nobody to wait. */
static bool has_data(const struct wm_call *call)
{
    int size = 0;

    return call->receive_count > 0 && PMPI_Type_size(call->receive_type, &size) == MPI_SUCCESS && size > 0;
}

static bool waits_for_all(const struct wm_call *call)
{
    return call->operation == WM_BARRIER || (wm_operation_synchronises(call->operation) &&
                                             !wm_operation_takes_vectors(call->operation) && has_data(call));
}

/* A call that is refused for its arguments has not begun, and the others wait for another one; any other failure may be
 * this rank's alone, of a call that all have made. */
static bool took_part(int rc)
{
    int class = MPI_SUCCESS;

    if (rc != MPI_SUCCESS)
        PMPI_Error_class(rc, &class);
    switch (class) {
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COMM:
    case MPI_ERR_COUNT:
    case MPI_ERR_OP:
    case MPI_ERR_TYPE:
        return false;
    default:
        return true;
    }
}

static bool has_all_ranks(enum wm_extent *extent, MPI_Comm comm)
{
    int result = MPI_UNEQUAL;

    if (*extent == WM_EXTENT_UNKNOWN) {
        PMPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
        *extent = result != MPI_UNEQUAL ? WM_EXTENT_WORLD : WM_EXTENT_PART;
    }
    return *extent == WM_EXTENT_WORLD;
}

void wm_clock_sync_count(enum wm_extent *extent, const struct wm_call *call, int rc)
{
    if (took_part(rc) && waits_for_all(call) && has_all_ranks(extent, call->comm) && ++sync.calls == sync.due)
        meet();
}
