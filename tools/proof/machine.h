/* The machine that carries out all ranks' plans on symbols; shared by the files of the proof that make it up.
 *
 * Steps are numbered among all ranks: first[rank] + step. */
#ifndef WM_PROOF_MACHINE_H
#define WM_PROOF_MACHINE_H

#include "tools/proof/prove.h"

/* A step of a rank. */
struct wm_at {
    int rank, step;
};

struct wm_meeting {
    struct wm_at send, recv;
    uint32_t number;
    int posted; /* ends */
};

enum wm_ready_order { WM_FIRST_READY, WM_LAST_READY, WM_RANDOM };

/* What may happen next: a ready step runs or is posted, or (rank -1) message number `step` passes. */
struct wm_ready {
    struct wm_at *events;
    size_t head, tail;
};

struct wm_machine {
    struct wm_arena *arena;
    const struct wm_grid *grid;
    const struct wm_path *path;
    struct wm_proof *proof;
    struct wm_cast cast;
    struct wm_plan **plans;  /* by rank */
    struct wm_memory *after; /* by rank: what its receive buffer must hold */
    size_t *first;           /* first[ranks]: how many steps there are */
    int message_count;
    struct wm_meeting *messages;
    int *message_of; /* by number of the step */
    bool order_fixed;
    struct wm_memory *results; /* by rank, of the first order: the trees of combinations are to be these */

    /* one run */
    struct wm_arena run_arena;
    struct wm_symbols symbols;
    struct wm_memory **memories; /* [rank][buffer] */
    int *waits;                  /* by number of the step; -1: done */
    int *rounds;                 /* by number of the step: messages that came before, in a chain */
    struct wm_ready ready;
    uint64_t random;
};

/* Refute the plans with a sentence. Returns false. */
bool wm_machine_refute(struct wm_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

const struct wm_step *wm_machine_step(const struct wm_machine *machine, struct wm_at at);

/* Find which send meets which receive. */
bool wm_machine_pair(struct wm_machine *machine);
/* Carry all plans out in one order, to the end. */
bool wm_machine_run(struct wm_machine *machine, enum wm_ready_order order, uint64_t seed);
/* Say who waits for whom; `at` is a step that never ran. */
bool wm_machine_refute_deadlock(struct wm_machine *machine, struct wm_at at);
/* Look whether each rank ends with what it is to have. */
bool wm_machine_check_results(struct wm_machine *machine);

#endif
