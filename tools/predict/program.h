/* A program: plans that are carried out together, with both ends of each message and all members of each shared step
 * known to each other. Steps are numbered among all ranks: first[rank] + step.
 *
 * Of a full program the ranks are all ranks. Of a quotient (tools/predict/quotient.h) they are representatives: the
 * other end of a representative's message is the step of the representative of its peer. */
#ifndef WM_PREDICT_PROGRAM_H
#define WM_PREDICT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"
#include "core/path/path.h"
#include "core/plan/plan.h"
#include "tools/predict/folds.h"
#include "tools/proof/arena.h"
#include "tools/proof/symmetry.h"

/* What members of a shared step do together. */
struct wm_program_shared {
    int size;
    int *steps;                     /* by member: the number of its step */
    const struct wm_shared *shared; /* as the first has it */
    int arrived, ahead;             /* in a run: members that came; of a prefix, those whom all before have come to */
    bool *came;
};

/* A step while it is carried out. */
struct wm_step_state {
    int64_t since; /* when it came to be ready, or what it waits for was there */
    int waiting;   /* dependencies to come */
    int next;      /* in a queue of its rank, -1 */
    int cause;     /* the item that made it ready, or sent what has come */
    uint8_t kind;  /* what its rank shall do about it: enum wm_item_kind */
    uint8_t level; /* of a message: the first axis on which its ranks differ */
    bool posted, landed, asked;
    bool crossed; /* it landed while one of its receiver's was under way to its sender */
    bool done;
};

/* All that a simulation looks at of a step, in one line of cache: a program has millions, in no order. */
struct wm_program_step {
    _Alignas(64) size_t count;
    int owner;           /* its rank */
    int partner;         /* the other end of a message, or the number of a shared step; else -1 */
    int peer;            /* as the plan has it */
    int first_successor; /* in program->successors; if `successors` is 1, that successor's number */
    int successors;
    uint8_t kind, net, transport;
    bool held;
    struct wm_step_state state; /* in a run */
};

_Static_assert(sizeof(struct wm_program_step) == 64, "a step takes more than a line of cache");

struct wm_sim_program {
    int ranks;
    struct wm_plan *const *plans; /* by rank; the caller's */
    const int *host;              /* by rank: its host, from 0 */
    int host_count;
    const int *alike;  /* by rank: how many ranks of its host do as it does; NULL: it alone */
    size_t unit_bytes; /* 0: a barrier's, of no bytes */
    size_t *first;     /* first[ranks]: how many steps there are */
    struct wm_program_step *steps;
    bool eager;      /* some plan says up to which size messages are */
    int *successors; /* steps, as they are numbered here */
    int shared_count;
    struct wm_program_shared *shared;
    int fold_count;
    struct wm_program_fold *folds;
    struct wm_arena arena;
};

/* Match the plans of all ranks of a machine, or, with a symmetry, of its representatives. `host` is kept, and plans.
 * Returns 0, or -WM_EPATH with a sentence where
 * they do not fit together, or -WM_ENOMEM. Release it in any case. */
int wm_program_init(struct wm_sim_program *program, struct wm_plan **plans, int ranks, const int *host, int host_count,
                    size_t unit_bytes, const struct wm_path *path, const struct wm_symmetry *symmetry,
                    struct wm_error *error);
void wm_program_release(struct wm_sim_program *program);

static inline const struct wm_plan *wm_program_plan(const struct wm_sim_program *program, int step)
{
    return program->plans[program->steps[step].owner];
}

/* What waits for the step. */
static inline const int *wm_program_successors(const struct wm_sim_program *program, const struct wm_program_step *step)
{
    return step->successors == 1 ? &step->first_successor : &program->successors[step->first_successor];
}

/* The step as its plan has it. */
static inline const struct wm_step *wm_program_planned(const struct wm_sim_program *program, int step)
{
    return &wm_program_plan(program, step)->steps[(size_t)step - program->first[program->steps[step].owner]];
}

#endif
