/* Collectives of subranks: each is planned as a path on a grid of processes and siblings, and flown by the rank's own
 * engine, over messages of core/p2p.
 *
 * A call under way: waits, asks the map, tells sizes, where ranks must (core/call/sizes.h), flies, is over. It waits
 * until the calls on its communicator before it have their paths: so all ranks look for paths, and number flights, in
 * one order. A blocking call stands on its caller's stack, a nonblocking one in its rank's list, and goes on whenever
 * the rank waits or tests. A persistent one has its plan when it is made, and flies at each start.
 *
 * Paths are the map's where there is one that has rules for the operation, and the built-in ones for all others,
 * for what the map leaves native, and for collectives of our own. */
#ifndef WM_SUBRANK_COLLECTIVE_H
#define WM_SUBRANK_COLLECTIVE_H

#include "core/call/describe.h"
#include "core/call/kin.h"
#include "core/call/question.h"
#include "core/call/retain.h"
#include "core/call/sizes.h"
#include "core/record/waiting.h"
#include "core/subrank/rank.h"

/* What describing and planning calls by one map reads, of one rank of a communicator. */
struct wm_rank_record {
    struct wm_comm comm; /* rank, ranks, neighbours, facts; paths; the last calls */
    struct wm_kin kin;   /* the grid, and the plans that are kept */
};

/* What a communicator has for its collectives. */
struct wm_rank_plans {
    struct wm_rank_record own, *mapped; /* built-in paths; the map's, NULL: there is no map, or it does not fit */
    uint64_t by_map;                    /* bits of the operations that go by the map's */
    struct wm_endpoint *end;            /* of both: engine and node */
    struct wm_p2p_comm *messages;
    struct wm_path *staged[WM_COLLECTIVE_COUNT], *shared[WM_COLLECTIVE_COUNT]; /* built in; NULL: not needed so far */
    struct wm_rank_call *persistent;                                           /* not freed */
    uint32_t persistent_count;                                                 /* so far */
    bool met;                                                                  /* for a blocking call */
    uint32_t flights;                                                          /* numbers given so far */
    uint32_t begun, planned;                                                   /* calls; those that have their paths */
    struct wm_sibling *sibling;                                                /* siblings.h; NULL: not needed so far */
};

struct wm_rank_call {
    struct wm_rank_call *next;            /* of a rank's nonblocking ones under way */
    struct wm_rank_call *next_persistent; /* of a communicator's */
    struct wm_rank_comm *comm;            /* NULL: of a persistent one, gone */
    bool persistent;
    struct wm_call call;
    struct wm_described described;
    bool ours;                    /* it follows no map */
    uint32_t ordinal;             /* of the calls on its communicator, from 1 */
    struct wm_comm *record;       /* whose path it goes by */
    struct wm_question *question; /* NULL: it does not ask */
    struct wm_path *path;         /* NULL: it waits, or asks */
    struct wm_sizes *sizes;       /* NULL: they are known */
    struct wm_kept_plan *kept;
    struct wm_flight *flight; /* NULL: it is over */
    uint32_t first, number;   /* of its flights: the first, and the last; a persistent one keeps the latter */
    int error;
    struct wm_p2p_request *request; /* the user's, of a nonblocking one */
    struct wm_retained retained;
    uint32_t sequence;              /* of its user's collectives, for the trace */
    struct wm_record_region region; /* its kinds, and, where it goes by a built-in path, all of it */
    bool native;                    /* … so it does */
    struct wm_waited *waited;       /* of a nonblocking one; NULL: nothing is recorded */
};

/* A call that comes again has its path, and is over in one step. */
static inline void wm_rank_count_again(struct wm_rank_comm *comm)
{
    comm->sequence++;
    comm->plans->flights++;
    comm->plans->begun++;
    comm->plans->planned++;
}

/* Make what the collectives of a communicator need; freed with it. NULL: no memory. */
struct wm_rank_plans *wm_rank_plans_new(struct wm_rank_comm *comm);
void wm_rank_plans_free(struct wm_rank_plans *plans); /* NULL is allowed */
/* The record for calls of an operation: the map's where it has rules for it, else that of built-in paths. */
static inline struct wm_comm *wm_rank_record_of(const struct wm_rank_comm *comm, enum wm_operation operation)
{
    struct wm_rank_plans *p = comm->plans;

    return (p->by_map & WM_OPERATION_BIT(operation)) != 0 ? &p->mapped->comm : &p->own.comm;
}
/* The built-in path of a call. */
struct wm_path *wm_rank_path(struct wm_rank_plans *plans, const struct wm_described *described);

/* The ranks of a communicator that share memory, without memory so far. */
struct wm_node *wm_rank_node_new(const struct wm_rank_comm *comm);
/* Have them agree on the memory. Collective, blocking. */
void wm_rank_node_meet(const struct wm_rank_comm *comm);

/* Look at all that the map says for the world of subranks, and let the limits have what it says of messages. Collective
 * over the processes. A fault ends the job, or leaves it without a map, as settings say. */
void wm_rank_map_check(struct wm_message_limits *limits);

/* The net of an engine: ranks are those of the communicator. */
struct wm_net *wm_rank_net_new(struct wm_p2p_comm *messages);

/* What the doors call; those of blocking calls ask for a sibling before (collective_door.h). */
int wm_rank_collective(const struct wm_call *call, const char *function);
int wm_rank_collective_begin(const struct wm_call *call, MPI_Request *request, const char *function);
int wm_rank_collective_init(const struct wm_call *call, MPI_Request *request, const char *function);

/* A call of our own. */
int wm_rank_collective_own(struct wm_rank_comm *comm, const struct wm_call *call);
/* Begin a call of our own that is not waited for here. */
int wm_rank_collective_later(struct wm_rank_comm *comm, const struct wm_call *call, struct wm_p2p_request **request);

/* One of the rank's that runs has gone on: it does not wait for ever. */
static inline void wm_rank_calls_step(void)
{
    wm_world.calls++;
    if (wm_worker != NULL)
        wm_worker->calls++;
}

/* Nonblocking calls go on. */
void wm_rank_calls_advance(struct wm_rank *rank);
/* What they wait for wakes the rank: it may sleep. */
bool wm_rank_calls_wake(const struct wm_rank *rank);
/* The communicator of its persistent ones goes. */
void wm_rank_calls_forget(struct wm_rank_plans *plans);
/* Wait until those of a communicator are over. */
void wm_rank_calls_finish(const struct wm_rank_comm *comm);

/* Of our own. Collective; return MPI_SUCCESS or an error. */
int wm_rank_barrier(struct wm_rank_comm *comm);
int wm_rank_largest(struct wm_rank_comm *comm, int32_t *number); /* of both groups of an intercommunicator */
/* The root's bytes come to all. */
int wm_rank_tell(struct wm_rank_comm *comm, void *data, size_t bytes, int root);
/* Everybody's `bytes` come to `all`, by rank. MPI_ERR_COMM: it is an intercommunicator. */
int wm_rank_exchange(struct wm_rank_comm *comm, const void *mine, void *all, size_t bytes);
/* The same with so many bytes of each rank; bytes[…] are those of all. */
int wm_rank_exchange_each(struct wm_rank_comm *comm, const void *mine, void *all, const int bytes[],
                          const int places[]);

#endif
