/* Proof: all ranks' plans of one call, made and carried out together on symbols, without MPI.
 *
 * The plans are made as the runtime makes them (tools/proof/scenario.h). Each is looked at alone (tools/proof/dag.h:
 * soundness, bounds, marks, races). Then all run together in several orders: first ready first, last ready first, and
 * random ones. A receive spoils its target when it is posted; a message passes at some moment after both its ends are
 * posted, and only then are they complete: a send is a rendezvous, whatever its size. A shared step spoils what it is
 * to get when a member comes to it, and happens, to all members alike, at some moment after the last has come; a rank
 * comes to no shared step while the fourth before it, of the same members, is not over. Proven means, in every order
 * tried:
 *   every send meets a receive of as many units by the same net, every shared step the same one of all its members,
 * which are on one node, and every step of every rank comes to run; nothing is read that was not written before,
 * nothing is written out of bounds or in gaps between blocks; each rank that ends with a result has it: where data is
 * moved, in every block the data of the one that it is from; where it is combined, everyone's contribution to that very
 * unit, once, in rank order unless the operator commutes; if every #:order on the path is 'rank, the very same tree of
 * combinations, in every order and at every rank. In a barrier a unit of no bytes takes the way of the result: that it
 * is whole means that everyone has come; whoever comes may come twice. Pure; costs about as much as to make the plans.
 * One order stands for all where no plan has a race: then whatever touches a unit of a rank comes in an order that the
 * plan fixes, but for reductions that commute; what meets what is fixed, too; and no step has a choice of what it waits
 * for. So in every order the same steps run and the same contents come out. Calls of up to 128 ranks are carried out in
 * several orders all the same, and so are those with plans too long to look for races in.
 * Calls of many steps are proven by symmetry (enum wm_proof_way), if they have one.
 * Ends the process when there is no memory. */
#ifndef WM_PROOF_PROVE_H
#define WM_PROOF_PROVE_H

#include <stdint.h>
#include "core/path/grid.h"
#include "core/path/path.h"
#include "tools/proof/scenario.h"

enum wm_proof_outcome {
    WM_PROVEN,
    WM_REFUSED,  /* layout or planner refuse the path: `error` is theirs */
    WM_REFUTED,  /* the plans are wrong: `error.text` says which rank and step, or who waits for whom */
    WM_TOO_LARGE /* more steps than there is memory for: `error.text` has the estimate */
};

/* How it is proven. By symmetry: of ranks that turns or flips of all ranks take to one another
 * (tools/proof/symmetry.h), one is carried out, and each message brings it what its sender's representative has, with
 * ranks and units moved. That they are alike is looked at (tools/proof/alike.h), of some ranks where there are many. It
 * then proves matching, freedom from deadlock, bounds and contents as the full proof does: one refutes what the other
 * does. It does not compare the trees of combinations of one rank with those of another. Where the operator does not
 * commute, messages alone are alike, and what a rank combines is its own: of up to 128 ranks all are carried out then,
 * of more the first and the last. */
enum wm_proof_way {
    WM_PROVE_BEST, /* in full what has few steps, by symmetry what has many, in full where that fails */
    WM_PROVE_IN_FULL,
    WM_PROVE_BY_SYMMETRY /* or call it too large */
};

/* What the plans cost, beside what was proven. The first four are of all ranks together. */
struct wm_proof {
    enum wm_proof_outcome outcome;
    struct wm_error error;
    bool out_of_memory;                                 /* too large for bytes_max */
    size_t steps, messages, shared_steps, copied_units; /* a shared step is no message */
    size_t temporary_units;                             /* of the rank that has most */
    size_t rank_units;   /* sent or received, given or got, whichever is more, by the rank where that is most */
    size_t link_units;   /* the same of a group of the outermost axis that divides the ranks, of shared steps that
                            span groups; 0: there is none */
    int rounds;          /* the longest chain of messages and shared steps that wait for each other */
    int representatives; /* that were carried out by symmetry; 0: all ranks were */
    int compared;        /* other ranks, whose plans were made and compared with those of representatives */
    bool flips;          /* the symmetry: rank ^ d; else rank + d, for multiples d of `representatives` */
    bool apart;          /* of messages alone: the last ranks, or each of few, were carried out besides; steps, and what
                            is copied and held, are those of the last, as if all had the like */
    size_t each;         /* of the scenario that was carried out, whose data the path cuts into even shares */
    int period;          /* and after how many ranks its blocks' sizes repeat; 0: they do not */
};

struct wm_prove_options {
    enum wm_proof_way way;
    int random_orders; /* beside the two fixed ones */
    uint64_t seed;
    int race_steps_max; /* no race is looked for in longer plans; see tools/proof/dag.h */
    size_t bytes_max;   /* what a proof takes more memory for is too large; 0: nothing is */
    bool one_order;     /* for tests: of few ranks, too, where it stands for all */
    /* For tests of the proof itself: spoil a plan before it is looked at. NULL: leave it. */
    void (*spoil)(struct wm_plan *plan, int rank);
};

/* Of all ranks together. Steps that are proven take 160 bytes and more, with what they hold; those that are timed
 * (tools/predict) some 200. */
enum { WM_PROOF_STEPS_MAX = 16000000 };

/* Is there memory to carry out a call of so many ranks, if blocks may be for so many pairs? 0, or -WM_ENOMEM with a
 * sentence. */
int wm_proof_fits(const struct wm_scenario *scenario, int ranks, int pairs_max, struct wm_error *error);

/* Look beforehand whether there is memory for the plans of ranks 0 … ranks - 1, of no more than `steps_max` steps: by
 * one rank of each of as many equal parts of all, whose mean is to be above the room beyond doubt. 0, or -WM_ENOMEM
 * with a sentence. */
int wm_proof_foresee(const struct wm_cast *cast, const struct wm_path *path, const struct wm_layout *layout, int ranks,
                     size_t steps_max, struct wm_error *error);

/* How many steps this process has memory to time, WM_PROOF_STEPS_MAX at most. */
size_t wm_proof_room(void);

/* A rank's plan is made: add it to *weight, which is 0 at first. 0, or -WM_ENOMEM with a sentence: those of `ranks`
 * ranks have more than `steps_max` steps. */
int wm_proof_weigh(size_t *weight, const struct wm_plan *plan, int ranks, size_t steps_max, struct wm_error *error);

/* Prove one call on a path that fits the grid. Returns proof->outcome. Equal arguments give equal proofs. */
enum wm_proof_outcome wm_prove(struct wm_proof *proof, const struct wm_path *path, const struct wm_grid *grid,
                               const struct wm_scenario *scenario, const struct wm_prove_options *options);

#endif
