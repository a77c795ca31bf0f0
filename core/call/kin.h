/* Kin: what communicators of the same ranks in the same order, under the same map and name, have in common.
 *
 * Grid and facts are those of their ground (core/call/ground.h), which each rank has made when the first of the kin
 * joined. Paths that one of them has asked for are known to all at a rank; whether all ranks know the same ones, a
 * later communicator's ranks tell each other when they join (core/call/join.h), by a hash of the set, and then nobody
 * is asked. Plans depend on path, grid, rank and call, so they stand here, too (core/call/plans.h). All of this is
 * immutable and lives as long as its last user: what changes with a communicator's calls is its own.
 *
 * A kin lives while a record or an endpoint of the pool uses it. Any thread. */
#ifndef WM_KIN_H
#define WM_KIN_H

#include "core/call/comm.h"
#include "core/call/ground.h"
#include "core/call/seed.h"

/* Known paths: no more than can be settled of one communicator. */
enum { WM_KIN_PATHS_MAX = WM_PATHS_MAX / 2 };

struct wm_kin {
    int users;
    struct wm_ground *ground;
    int rank;
    struct wm_node *node;                    /* those on this one's node; it has no memory; NULL for subranks */
    pthread_mutex_t lock;                    /* of what follows, where there are threads */
    struct wm_path *known[WM_KIN_PATHS_MAX]; /* by their hashes */
    int known_count;
    struct wm_plans plans;
    struct wm_joining *joining;   /* memory of one that is over, for the next; NULL: there is none */
    struct wm_seed seed;          /* taken and kept by wm_kin_seed_…; none, mostly */
    struct wm_endpoint *idle;     /* the pool's, by token (core/call/pool.h) */
    int endpoints;                /* made so far, WM_SEEDS_MAX at most */
    struct wm_plan *numbers_plan; /* combines numbers of our own (core/call/wait.c) */
    struct wm_plan *barrier_plan; /* compares fingerprints before a native call (core/call/wait.c) */
    struct wm_plan *head_plan;    /* broadcasts the first part of an answer (core/call/question.c) */
};

/* The kin of a communicator, which then uses it; made if there is none. `name`: the hash of the communicator's. NULL
 * with the error filled, which need not be cleared before, the same at all ranks, where the map's grid does not fit.
 * Local. */
struct wm_kin *wm_kin_of(const struct wm_comm *comm, uint64_t name, struct wm_error *error);

/* Begin one of the caller's, all zeros, which no other communicator finds: of a subrank on this ground, which it takes
 * over. And its end, but for the kin's own memory. */
void wm_kin_init(struct wm_kin *kin, struct wm_ground *ground, int rank);
void wm_kin_release(struct wm_kin *kin);

/* Use it once more, and once less. */
struct wm_kin *wm_kin_take(struct wm_kin *kin);
void wm_kin_give(struct wm_kin *kin);

/* Take the seed, made if there is none, as large as pays: the more endpoints the kin has had, the more are made ahead.
 * Keep one that was not needed. */
struct wm_seed wm_kin_seed_take(struct wm_kin *kin);
void wm_kin_seed_keep(struct wm_kin *kin, struct wm_seed *seed);

/* What lanes take of the memory of a node whose ranks may be put into groups along any axes of this ground. */
uint64_t wm_kin_lanes_bytes(const struct wm_ground *ground, const struct wm_node *node);

/* So many endpoints have been made. */
void wm_kin_count(struct wm_kin *kin, int endpoints);

/* Make a path known. Returns it, or an equal one that is known already: the caller's in the place of `path`. */
struct wm_path *wm_kin_learn(struct wm_kin *kin, struct wm_path *path);

/* The known paths, new users, the same order wherever the hash of the set is the same. Returns how many. */
int wm_kin_paths(struct wm_kin *kin, struct wm_path *paths[WM_KIN_PATHS_MAX], uint64_t *hash);

/* Know no path any more: ranks know different ones. */
void wm_kin_forget(struct wm_kin *kin);

#endif
