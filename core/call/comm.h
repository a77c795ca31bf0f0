/* Communicators: the record that stands beside one of the user's, with its grid, engine, caches and queue.
 *
 * Whoever works on a record holds its lock. Under MPI_THREAD_MULTIPLE any thread may come to advance it; otherwise the
 * lock keeps out progress that a call of ours to the library would make on the same record. */
#ifndef WM_COMM_H
#define WM_COMM_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include "core/engine/engine.h"
#include "core/path/grid.h"
#include "core/call/native.h"
#include "core/call/plans.h"
#include "core/node/node.h"
#include "core/path/path.h"
#include "core/plan/planner.h"
#include "core/process/process.h"
#include "core/shared/short_plan.h"
#include "core/record/clock_sync.h"

enum { WM_PATHS_MAX = 64 };

/* Numbers of flights: those of ordinary calls come round, those of persistent requests stand behind them. At most half
 * of the former are in flight at a rank. So a rank sends and receives the messages of two flights of one number in the
 * flights' order, and the library, which keeps messages in order, never takes one for another. */
enum { WM_ORDINARY_FLIGHTS = WM_FLIGHT_NUMBERS / 2, WM_FLIGHTS_AT_ONCE = WM_ORDINARY_FLIGHTS / 2 };

/* A path in the cache of a communicator. */
struct wm_cached_path {
    struct wm_path *path; /* the cache is a user */
    uint64_t used;        /* when it was last looked up; all ranks look up alike */
    bool settled;         /* all ranks know that all have it */
};

/* The last call of an operation (core/call/again.h). */
struct wm_last_call {
    struct wm_path *path;      /* in the cache; NULL: there is no such call */
    int place;                 /* … where */
    struct wm_kept_plan *kept; /* which it is a user of; NULL: the path is native */
    uint64_t stamp;            /* no other of the communicator's has or had it; 0: there is no such call */
    bool any;                  /* the path is that of all calls with this root */
    int count, root, send_count;
    MPI_Datatype type, send_type;
    MPI_Op op;
    int *vectors;            /* receive_counts of all ranks, then receive_displs; NULL: no call had them so far */
    bool counted, displaced; /* it had them */
    bool has_vectors;        /* … one or both */
    bool in_place;
    bool short_known;             /* whether the plan is short: found out when the call comes again */
    bool left;                    /* the path is native, and nobody records or verifies such calls: … */
    enum wm_native_reason reason; /* … why it is left */
    struct wm_geometry geometry;
    size_t unit_bytes;
    wm_kernel *kernel;
    struct wm_short_plan short_plan;
    struct wm_page_call *kind; /* as it was published from the site that it last came from, while kind->first is: */
    uint64_t kind_first, print;
};

struct wm_request;
struct wm_page_comm;

/* What its ranks know of one another (core/call/join.h). */
enum wm_joined {
    WM_NOT_JOINED, /* no call so far for which the map has rules */
    WM_JOINING,    /* a nonblocking call waits for it */
    WM_JOINED      /* there are kin, node and engine */
};

struct wm_joining;
struct wm_kin;
struct wm_tuning;
struct wm_trial;

/* What this rank has of a communicator that has joined, beside its calls (core/call/endpoint.h): another one of the kin
 * may have it later. */
struct wm_endpoint {
    struct wm_endpoint *next;          /* of its kin in the pool, by token */
    struct wm_endpoint *older, *newer; /* in the pool, which came before and after it */
    struct wm_kin *kin;
    bool heavy;           /* it may have touched much of the node's memory */
    uint64_t token;       /* tells it from others */
    struct wm_node *node; /* the ranks that share memory with this one */
    struct wm_engine *engine;
    uint16_t numbers[]; /* [ranks] */
};

struct wm_comm {
    struct wm_comm *next;                /* all of the process */
    MPI_Comm user;                       /* MPI_COMM_NULL: freed, and the record stays until the end */
    const char *title;                   /* its name, where the library does not know it; else NULL */
    struct wm_map_source *map;           /* the process's, or one of its own; never NULL */
    struct wm_tuning *tuning;            /* its map may change (core/call/meeting.h); NULL: it does not */
    struct wm_trial *trial;              /* of another map (core/call/trial.h); NULL: none */
    bool native_only;                    /* apart, or nothing to plan: it never joins */
    enum wm_native_reason native_reason; /* why, when rules concern it */
    bool unattached;                     /* made by MPI_Comm_idup and not yet used: found by its handle */
    int rank, ranks, nodes;
    int *world;              /* [ranks] ranks in MPI_COMM_WORLD; NULL: some are not of it */
    struct wm_place *places; /* [ranks] where the map asks for more than the process's places tell, else NULL */
    enum wm_joined joined;
    struct wm_joining *joining;
    struct wm_kin *kin;      /* from when it joins */
    struct wm_endpoint *end; /* NULL: not joined yet, or native_only */
    uint64_t name;           /* hash of its name when it joined; 0: questions were asked by another one */
    enum wm_extent extent;
    int clusters;                            /* its kin's, as nodes */
    bool uniform, consecutive;               /* its kin's, as nodes */
    bool serverless;                         /* rank 0: no map server could be had for a question */
    struct wm_page_comm *shown;              /* in this process's page; NULL: it is not */
    struct wm_neighbours *neighbours;        /* of its topology, read when first asked for (core/data/neighbours.h) */
    int stopped;                             /* the error of all its calls, as one of its ranks is dead; or 0 */
    uint32_t id;                             /* in this process's trace */
    uint32_t sequence;                       /* collective calls so far */
    _Atomic bool silent[WM_OPERATION_COUNT]; /* always native, nothing to record: the door goes straight to PMPI */
    uint64_t planned_calls[WM_OPERATION_COUNT], native_calls[WM_OPERATION_COUNT];
    uint64_t clock; /* for last use */
    struct wm_cached_path *paths;
    int path_count, path_room;
    uint32_t verified; /* blocking calls, where results are verified */
    bool checked;      /* where paths verify: that of the newest blocking call has its result looked at */
    bool unsettled;    /* some paths have come since they were last settled (core/call/cache.h) */
    struct wm_last_call *last[WM_OPERATION_COUNT]; /* NULL: none so far */
    uint64_t stamps;                               /* that they have had */

    bool busy; /* the lock, where there is one thread */
    pthread_mutex_t lock;
    struct wm_request *queue, **queue_end, *in_flight, **in_flight_end;
    int native_in_flight;      /* of those in flight: the library's own, which must be asked */
    uint32_t flights;          /* numbers given to flights so far */
    uint32_t persistent;       /* and to persistent requests, which keep theirs */
    struct wm_comm *next_busy; /* of those that core/call/progress.h looks after */
    bool is_busy;
};

/* It is an intercommunicator, or has ranks of another MPI_COMM_WORLD. */
static inline bool wm_comm_is_apart(const struct wm_comm *comm)
{
    return comm->native_reason == WM_NATIVE_INTERCOMM || comm->native_reason == WM_NATIVE_WORLDS;
}

/* The kinds of records of a call on it: a trace has none that is apart. */
static inline uint64_t wm_comm_kinds(const struct wm_comm *comm, uint64_t kinds)
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

/* Free a record that has nothing but itself: no grid, node or engine, no paths, plans or requests. */
void wm_comm_free(struct wm_comm *comm);

/* Nobody handles its errors: they end the job. */
bool wm_comm_errors_are_fatal(const struct wm_comm *comm);

/* The hash of a communicator's name, not 0. */
uint64_t wm_comm_name_hash(const char *name);

/* Its name, "" where it has none or is gone. `name`: of MPI_MAX_OBJECT_NAME characters. */
void wm_comm_name(const struct wm_comm *comm, char *name);

/* The facts of a call on this communicator, but for operation, bytes, root and operator. */
void wm_comm_facts(const struct wm_comm *comm, struct wm_facts *facts);

#endif
