/* A session: groups of ranks that fly their probes, round by round; what was timed, as JSON. */
#ifndef WM_GAUGE_SESSION_H
#define WM_GAUGE_SESSION_H

#include <jansson.h>
#include <mpi.h>
#include "tools/bench/calls.h"
#include "tools/gauge/carry.h"
#include "tools/gauge/fence.h"
#include "tools/gauge/probes.h"
#include "tools/gauge/rounds.h"
#include "tools/gauge/start.h"

/* Conveyors are carried in the first rounds, and then in every so many. */
enum { WM_GAUGE_CARRY_FIRST = 4, WM_GAUGE_CARRY_EVERY = 2 };

enum { WM_GAUGE_GROUPS_MAX = 5, WM_GAUGE_MACHINE_CHARS = 128 };

/* States at a rank: not of it (own is MPI_COMM_NULL), or of it. */
struct wm_gauge_group {
    const char *level; /* "core", "node" or "cluster": the axis that a pair differs on; "" of more ranks */
    char machine[WM_GAUGE_MACHINE_CHARS]; /* as wm_grid_parse_machine reads it */
    int ranks;
    bool apart;   /* the ranks are in several clusters */
    MPI_Comm own; /* the tool's */
    MPI_Comm families[WM_GAUGE_FAMILY_COUNT];
    struct wm_gauge_fence fence;
    struct wm_gauge_start start;
    int fence_calls;
    struct wm_gauge_list list;
    int calls[WM_GAUGE_PROBES_MAX], rounds;
    double *samples; /* ns, [probe][round] */
    struct wm_gauge_conveyors conveyors;
    convey_t *kept[WM_GAUGE_CONVEYORS_MAX];
    struct wm_gauge_carried *carried; /* [conveyor][round]; run 0: it was not carried then */
    uint64_t eager_bytes;             /* of the library's messages; 0: not looked for */
};

/* A group of the ranks that say so, its communicators, and no probes. Collective over `world`. Returns false at all
 * ranks where there is no memory. */
bool wm_gauge_group_init(struct wm_gauge_group *group, MPI_Comm world, bool member, const char *level, double batch_ns);
void wm_gauge_group_release(struct wm_gauge_group *group);

/* Find out how many calls make batches and how many items runs, and fly all probes once, in an order that `seed` draws.
 * By the members. Returns false where memory is short. */
bool wm_gauge_group_prepare(struct wm_gauge_group *group, struct wm_bench_pool *pool);
bool wm_gauge_group_fly(struct wm_gauge_group *group, struct wm_bench_pool *pool, uint64_t seed);

/* Without the rounds of another machine (tools/gauge/rounds.h). */
json_t *wm_gauge_group_pack(const struct wm_gauge_group *group);

/* All ranks come; who waits sleeps meanwhile, and leaves the processor to the others. */
void wm_gauge_meet(MPI_Comm comm);
/* Up to which size the library sends a message without being asked for it, between the two ranks of a pair. */
uint64_t wm_gauge_eager_bytes(MPI_Comm pair);

#endif
