/* Rounds: all ranks' plans carried out by the proof's machine without data, each message as early as its two ends
 * allow, each shared step as early as its members do. The plans must outlive them.
 *
 * A message's round is one more than the latest round that its send or its receive has to wait for, through whatever
 * local steps stand between; so the number of rounds is the longest chain of messages, the latency of the call
 * counted in messages. What a rank does in one round may well be many messages: the sums by rank tell. */
#ifndef WM_TOOLS_ROUNDS_H
#define WM_TOOLS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "core/path/path.h"
#include "core/plan/plan.h"
#include "tools/proof/arena.h"

struct wm_round_message {
    int source, target; /* ranks */
    int send, receive;  /* numbers of their steps */
    int round;          /* from 1 */
    int node;           /* the wrapper that sends it */
    int net;            /* enum wm_net_kind */
    bool combined;      /* the target reduces it into what it has */
    size_t units;
};

/* A shared step: it is in one round at all its members, one more than the latest that any of them has to wait for. */
struct wm_round_shared {
    int round, node;
    const struct wm_shared *shared; /* as its first member has it: the plan's */
};

struct wm_rounds {
    int round_count;
    size_t message_count;
    struct wm_round_message *messages; /* by round, node, source, target */
    size_t shared_count;
    struct wm_round_shared *shared;   /* by round, node, kind, first member */
    struct wm_arena arena, run_arena; /* hold all this */
    const size_t *first;              /* by rank: number of its first step */
    const int *step_rounds; /* by number: of a message or a shared step its round, of another step what it waits for */
};

/* Carry the plans out; `path` is what they were made from. Returns 0, or -WM_EPATH when a message misses its other end,
 * a shared step a member, or the plans wait for each other: a fault of Waymark's that nothing in a map should be able
 * to cause. */
int wm_rounds_init(struct wm_rounds *rounds, struct wm_plan **plans, int ranks, const struct wm_path *path,
                   struct wm_error *error);
void wm_rounds_release(struct wm_rounds *rounds);

/* The round of a rank's step. */
int wm_rounds_of_step(const struct wm_rounds *rounds, int rank, int step);

#endif
