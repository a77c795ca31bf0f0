/* Communicators: the shadow, grid, caches and engine that stand beside one of the user's.
 *
 * A record hangs on the communicator as an attribute that is not copied. All that is collective (the shadow) is made
 * when the communicator is made, or, where that was not seen (MPI_Comm_idup), in its first blocking collective. */
#ifndef WM_COMM_H
#define WM_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include "core/engine.h"
#include "core/grid.h"
#include "core/path.h"
#include "core/planner.h"

/* Plans live in sets of WM_PLAN_WAYS; the least recently used of a set goes. */
enum { WM_PATHS_MAX = 64, WM_PLAN_SETS = 64, WM_PLAN_WAYS = 4 };

/* A plan beneath a path, with what it was made for. */
struct wm_cached_plan {
    const struct wm_path *path; /* NULL: the place is free */
    struct wm_plan_call call;
    struct wm_plan *plan;
    uint64_t used;
};

/* The last call of an operation, if it can come back as it was: a predefined datatype and operator, whose handles never
 * come to mean others. An equal call flies the same plan at once. */
struct wm_last_call {
    const struct wm_plan *plan; /* NULL: there is none */
    struct wm_path *path;
    int count, root;
    MPI_Datatype type;
    MPI_Op op;
    bool in_place;
    struct wm_geometry geometry;
    size_t unit_bytes;
};

struct wm_comm {
    struct wm_comm *next; /* all of the process */
    MPI_Comm user;
    bool native_only; /* intercommunicator, or nothing to plan: no shadow */
    MPI_Comm shadow;
    int rank, ranks, nodes;
    bool uniform;
    struct wm_grid grid;
    struct wm_engine *engine;
    uint32_t id;                     /* in this process's trace */
    uint32_t sequence;               /* collective calls so far */
    bool silent[WM_OPERATION_COUNT]; /* always native, nothing to record: the door goes straight to PMPI */
    uint64_t planned_calls[WM_OPERATION_COUNT], native_calls[WM_OPERATION_COUNT];
    uint64_t clock; /* for last use */
    struct wm_path *paths[WM_PATHS_MAX];
    int path_count;
    struct wm_cached_plan plans[WM_PLAN_SETS][WM_PLAN_WAYS];
    struct wm_last_call last[WM_OPERATION_COUNT];
};

/* Prepare for communicators: the attribute's key. */
int wm_comm_start(void);
/* Free the records and shadows of all communicators that are left, and the key. Collective. */
void wm_comm_stop(void);

/* The facts of a call on this communicator, but for operation, bytes, root and operator. */
void wm_comm_facts(const struct wm_comm *comm, struct wm_facts *facts);

/* Look at all that the map says for this communicator, so that what is wrong is said before the job starts. Collective;
 * rank 0 asks, and its `error` has the sentence. Returns the same on all ranks: 0 or -WM_E… */
int wm_comm_check_map(struct wm_comm *comm, struct wm_error *error);

/* The path for a call; asks the map and broadcasts the answer on a miss, when all ranks miss alike. */
struct wm_path *wm_comm_path(struct wm_comm *comm, const struct wm_facts *facts);

#endif
