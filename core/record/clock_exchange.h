/* Ping-pongs by which two ranks compare CLOCK_MONOTONIC. One asks and learns the offset, the other answers. */
#ifndef WM_CLOCK_EXCHANGE_H
#define WM_CLOCK_EXCHANGE_H

#include <mpi.h>
#include <stdbool.h>
#include "tracer/interval.h"

/* Exchange `count` messages with rank `peer` of `comm`, which answers as many. Blocks until it does. False: the MPI
 * library failed, or the exchanges contradict each other; then *offset is all zero. */
bool wm_clock_exchange_ask(MPI_Comm comm, int peer, int count, struct wm_offset *offset);
/* Answer `count` of them. */
void wm_clock_exchange_answer(MPI_Comm comm, int peer, int count);

#endif
