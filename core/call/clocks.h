/* The clocks of a communicator's ranks, compared while it serves calls (core/clock/compare.h): by flights of a message
 * each, so what else is in flight goes on, and a rank that dies ends them (core/call/dead.h). */
#ifndef WM_CALL_CLOCKS_H
#define WM_CALL_CLOCKS_H

#include "core/call/comm.h"

/* Collective over the ranks of a communicator, which has joined; the queue is empty. Blocks. Hold its lock. Returns
 * rank 0's CLOCK_MONOTONIC less this rank's, 0 where both may be one; of a communicator that is stopped any number. */
int64_t wm_clocks_compare(struct wm_comm *comm);

#endif
