/* Rounds: all ranks' plans run together on paper, each message as early as its two ends allow.
 *
 * A message's round is one more than the latest round that its send or its receive has to wait for, through whatever
 * local steps stand between; so the number of rounds is the longest chain of messages, the latency of the call
 * counted in messages. What a rank does in one round may well be many messages: the sums by rank tell. */
#ifndef WM_TOOLS_ROUNDS_H
#define WM_TOOLS_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include "core/error.h"
#include "core/plan.h"

struct wm_message {
    int source, target; /* ranks */
    int send, receive;  /* numbers of their steps */
    int round;          /* from 1 */
    int node;           /* the wrapper that sends it */
    bool combined;      /* the target reduces it into what it has */
    size_t units;
};

struct wm_rounds {
    int round_count;
    size_t message_count;
    struct wm_message *messages; /* by round, node, source, target */
    int **step_rounds; /* step_rounds[rank][step]: of a message its round, of another step what it waits for */
    int ranks;
};

/* Returns 0, -WM_ENOMEM, or -WM_EPATH when a message misses its other end, or the plans wait for each other: a fault of
 * Waymark's that nothing in a map should be able to cause. */
int wm_rounds_init(struct wm_rounds *rounds, struct wm_plan *const *plans, int ranks, struct wm_error *error);
void wm_rounds_release(struct wm_rounds *rounds);

#endif
