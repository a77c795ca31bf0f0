/* Clocks compared: ping-pongs by which a rank learns how far CLOCK_MONOTONIC of another one is ahead of its own, and a
 * tree of them by which all learn it of one.
 *
 * Not by collectives: there a rank waits for others than the one that it asks, and whose clock that delays it cannot
 * tell. All functions block until the peer has done its part, or a message has failed. */
#ifndef WM_CLOCK_COMPARE_H
#define WM_CLOCK_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include "tracer/interval.h"

/* How messages go between ranks, in order. Both block, and return false when the message failed. */
struct wm_clock_way {
    bool (*send)(void *context, int peer, const void *data, size_t bytes);
    bool (*receive)(void *context, int peer, void *data, size_t bytes);
    void *context;
};

/* What a rank knows of another's clock. */
struct wm_clock_view {
    struct wm_offset offset; /* the other clock less this one; all zero: unknown */
    int64_t ahead_ns;        /* the clock that the other one refers to, less this one; where both may be one: 0 */
    int64_t half_ns; /* it is no further off; WM_CLOCK_UNKNOWN_NS or more: a rank on the way has learnt nothing */
};

#define WM_CLOCK_UNKNOWN_NS (INT64_MAX / 4)

/* Ask `peer` so many times, at most WM_INTERVAL_EXCHANGES_MAX. False: a message failed, or the answers contradict each
 * other; then *view is all zero. */
bool wm_clock_ask(const struct wm_clock_way *way, int peer, int times, struct wm_clock_view *view);

/* Answer as many. `own`: what this rank knows of the clock that it refers to; all zero where that is its own. */
void wm_clock_answer(const struct wm_clock_way *way, int peer, int times, const struct wm_clock_view *own);

/* Collective over the ranks 0 … ranks - 1 of the way: down a binomial tree, large subtrees first, within log2 rounds;
 * every other rank is compared with its neighbour in the order of ranks. `times` as above. Source: HCA3, Hunold and
 * Carpen-Amarie, "Hierarchical clock synchronization in MPI", 2018. The parent of a rank is the rank without its lowest
 * bit. Returns that of this one, whose clock *view is about, and where ahead_ns is rank 0's clock less this rank's. -1:
 * it is rank 0, and *view is all zero, or it has learnt nothing, and only half_ns is not zero. */
int wm_clock_compare(const struct wm_clock_way *way, int rank, int ranks, int times, struct wm_clock_view *view);

#endif
