/* Progress: who looks after the calls that are aloft while the program is elsewhere.
 *
 * The MPI library calls us back from its own progress (opal_progress in Open MPI): so every blocking MPI call whatever,
 * every test and every completion call, from any language, moves our plans as it moves the library's own. With nothing
 * aloft in the process that is one load and a branch. Where the library has no such hook, nonblocking calls stay
 * native. */
#ifndef WM_PROGRESS_H
#define WM_PROGRESS_H

#include <stdbool.h>
#include "core/call/comm.h"

/* Ask the library to call back, if it does not yet. False: it cannot; the same on all ranks. */
bool wm_progress_start(void);
/* No more calls back: before PMPI_Finalize. */
void wm_progress_stop(void);

/* A call on `comm` went aloft, or has landed. Hold the communicator's lock. */
void wm_progress_aloft(struct wm_comm *comm);
void wm_progress_landed(void);
/* The communicator's record goes; it has nothing aloft. */
void wm_progress_forget(struct wm_comm *comm);

#endif
