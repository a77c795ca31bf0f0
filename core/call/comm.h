/* Communicators: the shadow, grid, caches and engine that stand beside one of the user's.
 *
 * A record hangs on the communicator as an attribute that is not copied. All that is collective (the shadow) is made
 * when the communicator is made, or, where that was not seen, in its first blocking collective. After MPI_Comm_idup
 * the shadow comes of itself: calls wait for it, nonblocking ones in the queue.
 *
 * A communicator is *apart* when it is an intercommunicator, or has ranks of another MPI_COMM_WORLD
 * (MPI_Intercomm_merge after MPI_Comm_spawn or MPI_Comm_connect). Ranks of another world may lack Waymark or have
 * another map, and a question to them would be a message that their program may receive. Every rank sees without
 * messages that a communicator is apart; then nothing collective is done for it, all its calls are native, and none is
 * recorded.
 *
 * Nonblocking calls stand first in the queue: paths are looked up, and numbers given to flights, strictly in the order
 * of calls, so that all ranks do it alike although answers and messages arrive at different moments. Then they
 * are aloft, until they have landed (core/call/request.h). A blocking call first sees the queue empty.
 *
 * Whoever works on a record holds its lock. Under MPI_THREAD_MULTIPLE any thread may come to progress it; otherwise the
 * lock keeps out progress that a call of ours to the library would make on the same record. */
#ifndef WM_COMM_H
#define WM_COMM_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include "core/engine/engine.h"
#include "core/path/grid.h"
#include "core/call/native.h"
#include "core/node/node.h"
#include "core/path/path.h"
#include "core/plan/planner.h"
#include "core/process/process.h"
#include "core/shared/short.h"
#include "core/record/clock_sync.h"

/* Plans live in sets of WM_PLAN_WAYS; the least recently used of a set goes. */
enum { WM_PATHS_MAX = 64, WM_PLAN_SETS = 64, WM_PLAN_WAYS = 4 };

/* Numbers of flights: those of ordinary calls come round, those of persistent requests stand behind them. Of the former
 * no more than the half are in the air at a rank. So a rank sends and receives the messages of two flights of one
 * number in the flights' order, and the library, which keeps messages in order, never takes one for another. */
enum { WM_ORDINARY_FLIGHTS = WM_FLIGHT_NUMBERS / 2, WM_FLIGHTS_ALOFT = WM_ORDINARY_FLIGHTS / 2 };

/* A plan that lives while it is in the cache or in use. */
struct wm_kept_plan {
    struct wm_plan *plan;
    const struct wm_plan_call *call; /* what it was made for, while it is in the cache */
    int users;
    bool cached;
};

/* A plan beneath a path, with what it was made for. */
struct wm_cached_plan {
    const struct wm_path *path; /* NULL: the place is free */
    struct wm_plan_call call;
    struct wm_kept_plan *kept;
    uint64_t used;
};

/* The last call of an operation, if it can come back as it was: predefined datatypes and operator, whose handles never
 * come to mean others. An equal call flies the same plan at once, or, where that is one shared step of a single round
 * and nothing is recorded, takes the short road. */
struct wm_last_call {
    struct wm_path *path;      /* NULL: there is none */
    struct wm_kept_plan *kept; /* NULL: the path is native */
    bool any;                  /* the path is that of all calls with this root */
    int count, root, send_count;
    MPI_Datatype type, send_type;
    MPI_Op op;
    const size_t *counts; /* of a reduce_scatter, the plan's own; else NULL */
    bool in_place;
    struct wm_shared_short road;
    struct wm_geometry geometry;
    size_t unit_bytes;
    wm_kernel *kernel;
};

struct wm_request;

struct wm_comm {
    struct wm_comm *next;                /* all of the process */
    MPI_Comm user;                       /* MPI_COMM_NULL: freed, and the record stays until the end */
    struct wm_map_source *map;           /* the process's, or one of its own; never NULL */
    bool native_only;                    /* apart, or nothing to plan: no shadow */
    enum wm_native_reason native_reason; /* why, when rules concern it */
    bool unattached;                     /* made by MPI_Comm_idup and not yet used: found by its handle */
    MPI_Request coming;                  /* of the shadow, under the parent's lock */
    struct wm_comm *_Atomic parent;      /* in whose queue the shadow's making stands; NULL: the shadow is there */
    MPI_Comm shadow;                     /* of the same topology where neighbor collectives have rules */
    int rank, ranks, nodes;
    enum wm_extent extent;
    bool uniform, consecutive;
    struct wm_grid grid;
    struct wm_node *node; /* the ranks that share memory with this one */
    bool serverless;      /* rank 0: no map server could be had for a question */
    uint64_t duplicates;  /* by MPI_Comm_idup */
    struct wm_engine *engine;
    struct wm_neighbours *neighbours;        /* of its topology, read when first asked for (core/data/neighbours.h) */
    uint32_t id;                             /* in this process's trace */
    uint32_t sequence;                       /* collective calls so far */
    _Atomic bool silent[WM_OPERATION_COUNT]; /* always native, nothing to record: the door goes straight to PMPI */
    uint64_t planned_calls[WM_OPERATION_COUNT], native_calls[WM_OPERATION_COUNT];
    uint64_t clock; /* for last use */
    struct wm_path *paths[WM_PATHS_MAX];
    int path_count;
    struct wm_cached_plan plans[WM_PLAN_SETS][WM_PLAN_WAYS];
    struct wm_last_call last[WM_OPERATION_COUNT];
    struct wm_path **dropped; /* out of the cache, but perhaps in use: while `path_users` is not 0 */
    int dropped_count, path_users;

    bool busy; /* the lock, where there is one thread */
    pthread_mutex_t lock;
    struct wm_request *queue, **queue_end, *aloft, **aloft_end;
    int native_aloft;           /* of those aloft: the library's own, which must be asked */
    uint32_t flights;           /* numbers given to flights so far */
    uint32_t persistent;        /* and to persistent requests, which keep theirs */
    struct wm_plan *head_plan;  /* broadcasts the first part of an answer (core/call/ask.c) */
    struct wm_comm *next_aloft; /* of those that core/call/progress.h looks after */
    bool is_aloft;
};

/* It is an intercommunicator, or has ranks of another MPI_COMM_WORLD. */
static inline bool wm_comm_is_apart(const struct wm_comm *comm)
{
    return comm->native_reason == WM_NATIVE_INTERCOMM || comm->native_reason == WM_NATIVE_WORLDS;
}

/* The kinds of records of a call on it: a trace has none that is apart. */
static inline uint32_t wm_comm_kinds(const struct wm_comm *comm, uint32_t kinds)
{
    return wm_comm_is_apart(comm) ? 0 : kinds;
}

static inline bool wm_comm_try(struct wm_comm *comm)
{
    if (wm_process.threads)
        return pthread_mutex_trylock(&comm->lock) == 0;
    if (comm->busy)
        return false;
    return comm->busy = true;
}

static inline void wm_comm_lock(struct wm_comm *comm)
{
    if (wm_process.threads)
        pthread_mutex_lock(&comm->lock);
    else
        comm->busy = true;
}

static inline void wm_comm_unlock(struct wm_comm *comm)
{
    if (wm_process.threads)
        pthread_mutex_unlock(&comm->lock);
    else
        comm->busy = false;
}

/* Go on making the shadow of a communicator of MPI_Comm_idup; true: it is there. Hold the parent's lock. */
bool wm_comm_come(struct wm_comm *comm);
/* Wait until it is there. Hold the lock. */
void wm_comm_await(struct wm_comm *comm);

static inline bool wm_comm_is_coming(struct wm_comm *comm)
{
    return atomic_load_explicit(&comm->parent, memory_order_acquire) != NULL;
}

/* World ranks of a communicator's `ranks` ranks; false when some are not of this MPI_COMM_WORLD. */
bool wm_comm_world_ranks(MPI_Comm comm, int ranks, int *world);

/* Prepare for communicators: the attribute's key. */
int wm_comm_start(void);
/* Free the records and shadows of all communicators that are left, and the key. Collective. */
void wm_comm_stop(void);

/* The facts of a call on this communicator, but for operation, bytes, root and operator. */
void wm_comm_facts(const struct wm_comm *comm, struct wm_facts *facts);

/* Look at all that the map says for this communicator, so that what is wrong is said before the job starts. Collective;
 * rank 0 asks, and its `error` has the sentence. Returns the same on all ranks: 0 or -WM_E… */
int wm_comm_check_map(struct wm_comm *comm, struct wm_error *error);

/* The path for a blocking call; asks the map and broadcasts the answer on a miss, when all ranks miss alike. The queue
 * is empty. */
struct wm_path *wm_comm_path(struct wm_comm *comm, const struct wm_facts *facts);

/* The answer to facts that are complete, asked for anew: the caller's (wm_path_free). For conveyors, which have names.
 * Collective; hold the lock. */
struct wm_path *wm_comm_ask(struct wm_comm *comm, const struct wm_facts *facts);

/* The same without waiting. A question is begun on a miss and looked at again and again, with the lock held, until it
 * has brought the path, which is in the cache then; that frees it. Its flights have the numbers `number` and the one
 * after it. */
struct wm_question;
struct wm_question *wm_question_begin(struct wm_comm *comm, const struct wm_facts *facts, uint32_t number);
struct wm_path *wm_question_look(struct wm_question *question);

#endif
