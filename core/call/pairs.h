/* Counts between pairs of ranks, verified with `full`: of a v or w form, what a rank sends to another must be what that
 * one receives from it, by bytes and type signature. Before the call the ranks sum up, over all pairs, a number for
 * what is sent less one for what is received: 0 says that all agree, to 2^-64. Else they tell each other, and those who
 * receive name the pairs (core/call/flaw.h).
 *
 * Source: the check of one sum in the place of P² comparisons, ../shared/GUARD.md §2; allreduce of 24 bytes. */
#ifndef WM_PAIRS_H
#define WM_PAIRS_H

#include "core/call/wait.h"

/* Compare; other calls agree by their fingerprints. Collective, of a communicator that has joined, in its turn. Returns
 * MPI_SUCCESS or, alike at all ranks, the error that the call is to end with and that is to be raised. Hold the lock.
 */
int wm_pairs_compare(struct wm_comm *comm, const struct wm_call *call);

#endif
