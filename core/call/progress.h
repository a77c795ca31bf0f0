/* Progress: what is in flight goes on while the program is elsewhere.
 *
 * The MPI library calls us back from its own progress (opal_progress in Open MPI): so every blocking MPI call whatever,
 * every test and every completion call, from any language, moves our plans as it moves the library's own. With nothing
 * in flight in the process that is one load and a branch. Where the library has no such hook, nonblocking calls stay
 * native. */
#ifndef WM_PROGRESS_H
#define WM_PROGRESS_H

#include <stdbool.h>
#include "core/call/comm.h"

/* Ask the library to call back, if it does not yet. `advance`, always the same, does what can be done on a
 * communicator, whose lock is held; it returns how many calls are over. False: the library cannot; the same on all
 * ranks. */
bool wm_progress_start(int (*advance)(struct wm_comm *comm));

/* No more calls back: before PMPI_Finalize. */
void wm_progress_stop(void);

/* A call on `comm` has begun, for which nobody waits yet. Hold the communicator's lock. */
void wm_progress_begun(struct wm_comm *comm);

/* Such a call is over. */
void wm_progress_over(void);

/* The communicator's record goes; it has nothing in flight. */
void wm_progress_forget(struct wm_comm *comm);

#endif
