/* Proof: all ranks' plans of one call, made and carried out together on symbols, without MPI.
 *
 * The plans are made as the runtime makes them. Each is looked at alone (tests/dag.h: soundness, bounds, marks, races).
 * Then all run together in several orders: first ready first, last ready first, and random ones. A receive spoils its
 * target when it is posted; a message passes at some moment after both its ends are posted, and only then are they
 * complete: a send is a rendezvous, whatever its size. Proven means, in every order tried:
 *   every send meets a receive of as many units, and every step comes to run;
 *   nothing is read that was not written before;
 *   each rank that ends with the result (all; in a reduce the root) has in every unit of its receive buffer everyone's
 *   contribution to that very unit, once, in rank order unless the operator commutes (the root's data in a bcast);
 *   if every #:order on the path is 'rank, the very same tree of combinations, in every order and at every rank.
 * In a barrier a unit of no bytes takes the way of the result: that it is whole means that everyone has come.
 * Pure; costs about as much as to make the plans. Ends the process when there is no memory. */
#ifndef WM_TESTS_PROVE_H
#define WM_TESTS_PROVE_H

#include <stdint.h>
#include "core/grid.h"
#include "core/path.h"
#include "core/planner.h"

enum wm_proof_outcome {
    WM_PROVEN,
    WM_REFUSED, /* layout or planner refuse the path: `error` is theirs */
    WM_REFUTED  /* the plans are wrong: `error.text` says which rank and step, or who waits for whom */
};

struct wm_proof {
    enum wm_proof_outcome outcome;
    struct wm_error error;
    size_t steps, messages; /* of all ranks */
    size_t temporary_units; /* of the rank that has most */
};

struct wm_prove_options {
    int random_orders; /* beside the two fixed ones */
    uint64_t seed;
    int race_steps_max; /* no race is looked for in longer plans; see tests/dag.h */
};

/* Prove one call. `call` is a template: in_place is taken off the ranks but the root in a reduce; a barrier is given
 * the count and unit of core/planner.h. Returns proof->outcome. Equal arguments give equal proofs. */
enum wm_proof_outcome wm_prove(struct wm_proof *proof, const struct wm_path *path, const struct wm_grid *grid,
                               const struct wm_plan_call *call, const struct wm_prove_options *options);

#endif
