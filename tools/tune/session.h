/* A session: the ranks of a job, which fly what rank 0 says. Rank 0 calls what gives an order; the others are in
 * wm_tune_follow until wm_tune_end.
 *
 * The process's map is `fast`. Other maps have communicators of their own, by the info key "waymark_map". */
#ifndef WM_TUNE_SESSION_H
#define WM_TUNE_SESSION_H

#include <mpi.h>
#include "tools/bench/calls.h"
#include "tools/gauge/fence.h"
#include "tools/gauge/start.h"
#include "tools/tune/kind.h"
#include "waymark/convey.h"

enum { WM_TUNE_MACHINE_CHARS = 160, WM_TUNE_FILE_CHARS = 32 };

struct wm_tune_session {
    MPI_Comm own; /* the tool's */
    int rank, ranks, cores;
    char machine[WM_TUNE_MACHINE_CHARS]; /* as wm_grid_parse_machine reads it; "": it cannot be told */
    int nodes, clusters, local_ranks;    /* of that; local_ranks: of a node, at most; without it, of one node */
    struct wm_gauge_fence fence;
    struct wm_gauge_start start;
    MPI_Comm map;                      /* of the map that is checked; MPI_COMM_NULL: none */
    MPI_Comm paths[WM_TUNE_PATHS_MAX]; /* by their numbers; opened together */
    int count;
    struct wm_bench_pool pool;
    struct wm_bench bench; /* of the flight before, whose buffers the next one of its kind finds as they are */
    uint64_t bench_rotate;
    convey_t *conveyors[WM_TUNE_PATHS_MAX + 1]; /* of who flies, from WM_TUNE_MAP on; NULL: it has not flown */
    int64_t batches;
};

/* Who flies: a path's number, or one of these. */
enum { WM_TUNE_NATIVE = 0, WM_TUNE_MAP = -1, WM_TUNE_FENCE = -2 };

/* From so many roots a batch is flown, at most. */
enum { WM_TUNE_ROOTS = 4 };

struct wm_tune_flight {
    int who;
    int operation;
    int roots[WM_TUNE_ROOTS], root_count; /* each has its share of the batch; of an operation without any, { 0 } */
    uint64_t bytes;                       /* of a conveyor: of an item */
    int64_t items;                        /* that a rank pushes in a run of a conveyor */
    enum wm_tune_manner manner;
    int calls; /* of a batch; 0: find out how many make one */
};

/* Collective over MPI_COMM_WORLD. */
void wm_tune_session_init(struct wm_tune_session *session);
void wm_tune_session_release(struct wm_tune_session *session);
/* The other ranks: carry out orders until there are no more. */
void wm_tune_follow(struct wm_tune_session *session);
void wm_tune_end(struct wm_tune_session *session);

/* Make communicators "tune-1" … for the candidates in the map `file`, and free them. */
void wm_tune_open(struct wm_tune_session *session, const char *file, int count);
void wm_tune_close(struct wm_tune_session *session);
/* Make a communicator for the map `file` in the place of the one before. */
void wm_tune_open_map(struct wm_tune_session *session, const char *file);
/* Nanoseconds of a call, or of a conveyor's run, as the mean over the ranks, with its fence if it has one; or how many
 * calls make a batch. Negative: memory is short. */
double wm_tune_fly(struct wm_tune_session *session, const struct wm_tune_flight *flight);

#endif
