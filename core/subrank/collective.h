/* Collectives of subranks: each is planned as a path on the grid (process, sibling), and flown by the rank's own
 * engine, over messages of core/p2p.
 *
 * A call under way: tells sizes, where ranks must (core/call/sizes.h), flies, is over. A blocking one stands on its
 * caller's stack, a nonblocking one in its rank's list, and goes on whenever the rank waits or tests. */
#ifndef WM_SUBRANK_COLLECTIVE_H
#define WM_SUBRANK_COLLECTIVE_H

#include "core/call/describe.h"
#include "core/call/retain.h"
#include "core/call/sizes.h"
#include "core/subrank/rank.h"

/* What a communicator has for its collectives. */
struct wm_rank_plans {
    struct wm_comm
        record;        /* what describing a call reads: rank, ranks, neighbours, kin; paths; the last calls; engine */
    struct wm_kin kin; /* the grid, and the plans that are kept */
    struct wm_p2p_comm *messages;
    struct wm_path *staged[WM_COLLECTIVE_COUNT], *shared[WM_COLLECTIVE_COUNT]; /* NULL: not needed so far */
    bool met;                                                                  /* for a blocking call */
    uint32_t flights;                                                          /* numbers given so far */
};

struct wm_rank_call {
    struct wm_rank_call *next; /* of a rank's nonblocking ones */
    struct wm_rank_comm *comm;
    struct wm_call call;
    struct wm_described described;
    struct wm_path *path;
    struct wm_sizes *sizes; /* NULL: they are known */
    struct wm_kept_plan *kept;
    struct wm_flight *flight; /* NULL: it is over */
    uint32_t number;          /* of its flights: the last */
    int error;
    struct wm_p2p_request *request; /* the user's, of a nonblocking one */
    struct wm_retained retained;
};

/* Make what the collectives of a communicator need; freed with it. NULL: no memory. */
struct wm_rank_plans *wm_rank_plans_new(const struct wm_rank_comm *comm);
void wm_rank_plans_free(struct wm_rank_plans *plans); /* NULL is allowed */
/* The path of a call. */
struct wm_path *wm_rank_path(struct wm_rank_plans *plans, const struct wm_described *described);

/* The ranks of a communicator that share memory, without memory so far. */
struct wm_node *wm_rank_node_new(const struct wm_rank_comm *comm);
/* Have them agree on the memory. Collective, blocking. */
void wm_rank_node_meet(const struct wm_rank_comm *comm);

/* The net of an engine: ranks are those of the communicator. */
struct wm_net *wm_rank_net_new(struct wm_p2p_comm *messages);

/* What the doors call. */
int wm_rank_collective(const struct wm_call *call, const char *function);
int wm_rank_collective_begin(const struct wm_call *call, MPI_Request *request, const char *function);

/* Nonblocking calls go on. */
void wm_rank_calls_advance(struct wm_rank *rank);
/* Wait until those of a communicator are over. */
void wm_rank_calls_finish(const struct wm_rank_comm *comm);

/* Of our own. Collective; return MPI_SUCCESS or an error. */
int wm_rank_barrier(struct wm_rank_comm *comm);
int wm_rank_largest(struct wm_rank_comm *comm, int32_t *number);
/* Everybody's `bytes` come to `all`, by rank. */
int wm_rank_exchange(struct wm_rank_comm *comm, const void *mine, void *all, size_t bytes);
/* The same with so many bytes of each rank; bytes[…] are those of all. */
int wm_rank_exchange_each(struct wm_rank_comm *comm, const void *mine, void *all, const int bytes[],
                          const int places[]);

#endif
