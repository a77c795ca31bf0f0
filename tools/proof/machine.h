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

/* A shared step, at all its members. One that stands a window behind another (tools/proof/seats.h) waits for it, as it
 * waits for those that it depends on. */
struct wm_gathering {
    int size, posted; /* members */
    const struct wm_at *members;
    const int *held; /* by member: the step that waits for this one for the window's sake; 0: none */
};

enum wm_ready_order { WM_FIRST_READY, WM_LAST_READY, WM_RANDOM };

/* What may happen next: a ready step runs or is posted, or message or gathering number `step` passes. */
enum { WM_EVENT_MESSAGE = -1, WM_EVENT_GATHERING = -2 /* as ranks */ };

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
    struct wm_plan **plans;        /* by rank */
    struct wm_proof_memory *after; /* by rank: what its receive buffer must hold */
    size_t *first;                 /* first[ranks]: how many steps there are */
    size_t weight;                 /* of the plans made so far, in steps */
    int message_count;
    struct wm_meeting *messages;
    int gathering_count;
    struct wm_gathering *gatherings;
    int *message_of; /* by number of the step: its message, or its gathering */
    bool order_fixed;
    struct wm_proof_memory *results; /* by rank, of the first order: the trees of combinations are to be these */

    /* one run */
    struct wm_arena run_arena;
    struct wm_symbols symbols;
    struct wm_proof_memory **memories; /* [rank][buffer] */
    int *waits;                        /* by number of the step; -1: done */
    int *rounds;                       /* by number of the step: messages that came before, in a chain */
    struct wm_ready ready;
    uint64_t random;
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
/* "ranks 0-3, 7" of the gathering's members, as they are listed. Returns `text`. */
enum { WM_MACHINE_RANKS_CHARS = 96 };
const char *wm_machine_ranks(const struct wm_shared *shared, char text[WM_MACHINE_RANKS_CHARS]);

/* Find which send meets which receive, and whether they agree. */
bool wm_machine_pair(struct wm_machine *machine);
/* Find which shared steps meet, and whether they agree: the k-th that a rank lists with certain members is the k-th
 * of all those. Behind wm_machine_pair. */
bool wm_machine_gather(struct wm_machine *machine);

/* Parts of a run: read `count` units at `ref` of a step's rank; write such (given as at offset `from`); put together
 * left op right, which stand at equal offsets; a step is over, a step may be posted, an event may happen. */
bool wm_machine_read(struct wm_machine *machine, struct wm_at at, struct wm_ref ref, size_t count,
                     struct wm_proof_memory *out);
void wm_machine_write(struct wm_machine *machine, int rank, struct wm_ref ref, size_t count, size_t from,
                      struct wm_proof_memory *content);
bool wm_machine_combine(struct wm_machine *machine, struct wm_at at, const struct wm_proof_memory *left,
                        const struct wm_proof_memory *right, struct wm_proof_memory *out);
void wm_machine_finish(struct wm_machine *machine, struct wm_at at);
void wm_machine_release_step(struct wm_machine *machine, struct wm_at at);
void wm_machine_add_event(struct wm_machine *machine, int rank, int step);

/* A member comes to its shared step: what it is to get is spoiled. The event follows when all have. */
void wm_gathering_post(struct wm_machine *machine, struct wm_at at);
/* The shared step happens: all inputs are read, then all outputs written, and it is over at all members. */
bool wm_gathering_pass(struct wm_machine *machine, const struct wm_gathering *gathering);
/* Carry all plans out in one order, to the end. */
bool wm_machine_run(struct wm_machine *machine, enum wm_ready_order order, uint64_t seed);
/* Say who waits for whom; `at` is a step that never ran. */
bool wm_machine_refute_deadlock(struct wm_machine *machine, struct wm_at at);
/* Look whether each rank ends with what it is to have. */
bool wm_machine_check_results(struct wm_machine *machine);

#endif
