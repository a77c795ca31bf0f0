/* The machine that carries out all ranks' plans together; shared by the files of the proof that make it up. A proof has
 * it move symbols; where only the rounds are wanted (tools/proof/rounds.h), nothing is moved.
 *
 * Steps are numbered among all ranks: first[rank] + step. */
#ifndef WM_PROOF_MACHINE_H
#define WM_PROOF_MACHINE_H

#include "tools/proof/prove.h"
#include "tools/proof/symmetry.h"

/* A step of a rank. */
struct wm_at {
    int rank, step;
};

struct wm_proof_message {
    struct wm_at send, recv;
    uint32_t number;
    int posted; /* ends */
};

/* A shared step, at all its members. One that stands a window behind another (tools/proof/seats.h) waits for it, as it
 * waits for those that it depends on. */
struct wm_shared_instance {
    int size, posted; /* members */
    const struct wm_at *members;
    const int *held; /* by member: the step that waits for this one for the window's sake; 0: none */
};

enum wm_ready_order { WM_FIRST_READY, WM_LAST_READY, WM_RANDOM };

/* What may happen next: a ready step runs or is posted, or message or instance number `step` passes. */
enum { WM_EVENT_MESSAGE = -1, WM_EVENT_SHARED = -2 /* as ranks */ };

struct wm_ready {
    struct wm_at *events;
    size_t head, tail;
};

struct wm_machine;

/* What happens to data in a run. A `bool` is false where the plans are refuted. */
struct wm_machine_data {
    void (*begin)(struct wm_machine *machine);
    /* A receive, or a member's shared step, is posted. */
    void (*post)(struct wm_machine *machine, struct wm_at at);
    bool (*pass_message)(struct wm_machine *machine, const struct wm_proof_message *message);
    /* All inputs of all members are read, then all outputs written. */
    bool (*pass_shared)(struct wm_machine *machine, const struct wm_shared_instance *instance);
    /* A step of one rank alone: a copy, a reduction, a mark. */
    bool (*run_step)(struct wm_machine *machine, struct wm_at at);
    bool (*end)(struct wm_machine *machine);
};

/* On symbols: the proof's (tools/proof/carry.c). */
extern const struct wm_machine_data wm_machine_symbols;

struct wm_machine {
    const struct wm_machine_data *data;
    struct wm_arena *arena;
    int ranks;
    struct wm_plan **plans;     /* by rank */
    const struct wm_path *path; /* they are of: lines are told by it */
    struct wm_proof *proof;     /* what is found */
    size_t *first;              /* first[ranks]: how many steps there are */
    int message_count;
    struct wm_proof_message *messages;
    int instance_count;
    struct wm_shared_instance *instances;
    int *message_of; /* by number of the step: its message, or its instance */

    /* of a proof */
    const struct wm_grid *grid;
    const struct wm_symmetry *symmetry; /* NULL: all ranks are carried out; else its representatives are, `ranks`, which
                                           count from 0 here: wm_machine_rank */
    enum wm_space **spaces;             /* by representative and buffer */
    bool waits_in_place;                /* plans get more waits than they have: tools/proof/in_place.h */
    size_t steps_max;                   /* no more are planned */
    size_t bytes_max;                   /* nor is more memory taken, unless it is 0 */
    struct wm_cast cast;
    struct wm_proof_memory *after; /* by rank: what its receive buffer must hold */
    bool order_fixed;
    struct wm_proof_memory *results; /* by rank, of the first order: the trees of combinations are to be these */
    struct wm_symbol whole;          /* everyone's contributions, by the tree that is known of the unit, where that */
    struct wm_proof_memory trees;    /* matters: the first one found; so units of different trees are one span */

    /* one run */
    struct wm_arena run_arena;
    struct wm_arena event_arena; /* contents on their way from buffer to buffer: cleared before each event */
    int *waits;                  /* by number of the step; -1: done */
    int *rounds;                 /* by number of the step: messages that came before, in a chain */
    struct wm_ready ready;
    uint64_t random;
    struct wm_symbols symbols;
    struct wm_proof_memory **memories; /* [rank][buffer] */
};

/* Refute the plans with a sentence. Returns false. */
bool wm_machine_refute(struct wm_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

const struct wm_step *wm_machine_step(const struct wm_machine *machine, struct wm_at at);

/* Of a shared step, else NULL. */
const struct wm_shared *wm_machine_shared(const struct wm_machine *machine, struct wm_at at);
/* How a message or a shared step goes. */
const struct wm_transport *wm_machine_transport(const struct wm_machine *machine, struct wm_at at);
/* The line of the map where the wrapper stands that made the step. */
int wm_machine_line(const struct wm_machine *machine, struct wm_at at);
/* "ranks 0-3, 7" of the instance's members, as they are listed. Returns `text`. */
enum { WM_MACHINE_RANKS_CHARS = 96 };
const char *wm_machine_ranks(const struct wm_shared *shared, char text[WM_MACHINE_RANKS_CHARS]);

/* Number all steps, and find which send meets which receive, and whether they agree. */
bool wm_machine_match_messages(struct wm_machine *machine);
/* Find which shared steps meet, and whether they agree: the k-th that a rank lists with certain members is the k-th
 * of all those. Behind wm_machine_match_messages. */
bool wm_machine_match_shared(struct wm_machine *machine);

/* Where a range is permuted by displacements, as a whole space, that space; else WM_SPACE_FIXED. */
enum wm_space wm_machine_permutes(const struct wm_machine *machine, int rank, struct wm_ref ref, size_t count);
/* What a message brings is its sender's, and not that of the sender's representative. */
void wm_machine_move(struct wm_machine *machine, const struct wm_proof_message *message,
                     struct wm_proof_memory *content);

/* The rank whose plan is number `at`: of representatives another one, if they are not the first ranks. */
int wm_machine_rank(const struct wm_machine *machine, int at);

/* Carry all plans out in one order, to the end. */
bool wm_machine_run(struct wm_machine *machine, enum wm_ready_order order, uint64_t seed);
/* Say who waits for whom; `at` is a step that never ran. */
bool wm_machine_refute_deadlock(struct wm_machine *machine, struct wm_at at);
/* Look whether each rank ends with what it is to have. */
bool wm_machine_check_results(struct wm_machine *machine);

#endif
