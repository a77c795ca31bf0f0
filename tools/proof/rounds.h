/* Rounds: all ranks' plans run together on paper, each message as early as its two ends allow, each shared step as its
 * members do. The plans must outlive them.
 *
 * A message's round is one more than the latest round that its send or its receive has to wait for, through whatever
 * local steps stand between; so the number of rounds is the longest chain of messages, the latency of the call
 * counted in messages. What a rank does in one round may well be many messages: the sums by rank tell. */
#ifndef WM_TOOLS_ROUNDS_H
#define WM_TOOLS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "core/plan/plan.h"

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
struct wm_joint {
    int round, node;
    int ready;                      /* members; of use while the rounds are found */
    const struct wm_shared *shared; /* as its first member has it: the plan's */
    int *steps;                     /* by member: its number */
};

struct wm_rounds {
    int round_count;
    size_t message_count;
    struct wm_round_message *messages; /* by round, node, source, target */
    size_t joint_count;
    struct wm_joint *joints; /* by round, node, kind, first member */
    int *joint_steps;        /* where their `steps` stand */
    int **step_rounds; /* step_rounds[rank][step]: of a message or a shared step its round, of another step what it
                          waits for */
    int ranks;
};

/* Returns 0, -WM_ENOMEM, or -WM_EPATH when a message misses its other end, a shared step a member, or the plans wait
 * for each other: a fault of Waymark's that nothing in a map should be able to cause. */
int wm_rounds_init(struct wm_rounds *rounds, struct wm_plan *const *plans, int ranks, struct wm_error *error);
void wm_rounds_release(struct wm_rounds *rounds);

#endif
