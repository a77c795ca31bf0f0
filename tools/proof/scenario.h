/* A scenario: one call of an operation by all ranks, and the cast: what each of them passes, what stands in its buffers
 * before, and what must stand there behind.
 *
 * The plan calls are those that the runtime makes (core/call/describe.c): a rank that does not know the others' counts
 * is given none, unless the path needs them and the ranks would have told each other (core/call/sizes.h). Origins
 * (tools/proof/symbolic.h) number the units of moved data by the rank that brings them, so that blocks which stand one
 * behind the other in the order of ranks are one span. Pure; linear in a rank's blocks. */
#ifndef WM_PROOF_SCENARIO_H
#define WM_PROOF_SCENARIO_H

#include <stdint.h>
#include "core/path/path.h"
#include "core/plan/planner.h"
#include "tools/proof/symbolic.h"
#include "tools/proof/topology.h"

struct wm_scenario {
    enum wm_operation operation;
    int ranks;
    int root;          /* ignored where the operation has none */
    size_t each;       /* units of the data where it is whole, else of a block */
    size_t unit_bytes; /* ignored in a barrier */
    bool uneven;       /* blocks of 0 to 2 × each units, where the operation lets them differ */
    bool scattered;    /* blocks in another order in the user's buffers, with gaps, where the operation lets them */
    uint64_t seed;     /* of both */
    int period;        /* sizes of uneven blocks repeat after so many ranks, which divide all; 0: they do not */
    int together;  /* scattered blocks of so many ranks stand together, in order. 0: each by itself, in any order. 0,
                      and sizes repeat: the last period's blocks stand first, the first's last; within a period the
                      order is any, the same in each, and at ranks whose numbers differ by whole periods */
    bool in_place; /* at the ranks that may, where the operation lets them */
    bool commutative;
    bool traced;
    bool unshared;                      /* the calls may have no shared steps, as nonblocking ones */
    const struct wm_topology *topology; /* neighbor-… */
};

/* A call of `operation` on so many bytes: of the largest elements that they are made of, where data is combined; of
 * bytes elsewhere. */
struct wm_scenario wm_scenario_of(enum wm_operation operation, uint64_t bytes);

/* Where sizes repeat: units of the blocks of a period, and, where they are scattered by it, those from the first of
 * them in a user's buffer to the first of the next. */
size_t wm_scenario_sum(const struct wm_scenario *scenario);
size_t wm_scenario_slot(const struct wm_scenario *scenario);

struct wm_cast {
    struct wm_scenario scenario;
    bool vectors;   /* the operation takes counts and displacements */
    bool told;      /* sizes that a rank would not know are known to all */
    size_t stride;  /* no block of a pair or an edge is longer */
    size_t *starts; /* starts[rank]: first origin of what the rank brings, or shall get; [ranks]: the end */
    size_t *counts; /* of every rank's block; NULL: all alike */
    const struct wm_pair_sizes *pairs;
};

/* Every message of the path goes straight from its origin to its destination: no leader stands between two ranks. */
bool wm_cast_goes_straight(const struct wm_path *path);
/* Make the cast of a scenario on a path. `arena` keeps it. */
struct wm_cast wm_cast_make(const struct wm_scenario *scenario, const struct wm_path *path, struct wm_arena *arena);
/* What the rank passes; `arena` keeps its vectors. */
struct wm_plan_call wm_cast_call(const struct wm_cast *cast, int rank, struct wm_arena *arena);

/* What stands in the send and the receive buffer before. */
void wm_cast_before(const struct wm_cast *cast, const struct wm_plan_call *call, int rank, struct wm_symbols *symbols,
                    struct wm_arena *arena, struct wm_proof_memory buffers[2]);
/* Where in the receive buffer what must stand behind; symbols are NULL. */
struct wm_proof_memory wm_cast_after(const struct wm_cast *cast, const struct wm_plan_call *call, int rank,
                                     struct wm_arena *arena);
/* Whose contributions are to be combined there: low … high. */
void wm_cast_contributors(const struct wm_cast *cast, int rank, int *low, int *high);

/* In an exscan the first rank's buffer stays as it is. */
bool wm_cast_receives_nothing(const struct wm_cast *cast, int rank);

/* The ranks whose receive buffers must hold the very same. */
bool wm_cast_alike(const struct wm_cast *cast);

#endif
