/* One rank's plan looked at alone: is it a sound DAG, and do its dependencies forbid every race?
 *
 * Sound: successors, dependencies and roots agree, edges lead forward, counts are positive, peers are other ranks,
 * every reference lies within the blocks of its buffer, message numbers count up by peer and way, traced steps lie
 * within their marks; what goes through shared memory stays on the node, and the rank is a member of its shared steps.
 * A shared step reads all ranges that the member gives and writes all that it gets; a reduction may get where it gives
 * from, exactly there. A race: two steps that touch a common unit, one of them writing, with no path of dependencies
 * between them; but for two reductions into one target, which may come in any order if the operator commutes and no
 * order is fixed. Pure. */
#ifndef WM_PROOF_DAG_H
#define WM_PROOF_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include "core/plan/plan.h"
#include "tools/proof/symbolic.h"

/* What a plan may touch. */
struct wm_dag_rules {
    int rank, ranks;
    const int *nodes;                  /* by rank: the node it is on */
    struct wm_proof_memory touched[2]; /* units of the send and the receive buffer that may be touched */
    struct wm_proof_memory written;    /* of the receive buffer that may be written */
    bool once;                         /* none of these is to be written twice */
    bool reductions_commute;           /* two reductions into one target need no order */
    bool traced;                       /* marks were wanted */
    int race_steps_max; /* look for races and marks in plans of at most so many steps: it takes steps² bits */
};

/* True, or false with a sentence in `fault`. */
bool wm_dag_check(struct wm_arena *arena, const struct wm_plan *plan, const struct wm_dag_rules *rules, char *fault,
                  size_t fault_bytes);

/* "the send buffer", "temporary 3", in `text`, which is returned. */
enum { WM_DAG_NAME_CHARS = 32 };
const char *wm_dag_buffer_name(int buffer, char text[WM_DAG_NAME_CHARS]);

#endif
