/* Recordings: what the trace has of each rank of this process, from when the job's trace is opened until it is closed.
 * A plain process is one rank; of subranks each has its own. */
#ifndef WM_RECORDINGS_H
#define WM_RECORDINGS_H

#include <stdbool.h>
#include "core/error.h"

/* Open the files of these ranks of MPI_COMM_WORLD, one for each subrank (a plain process has one), of a program of this
 * name, and compare the clocks. Collective over the processes: none has a trace where one could not open its own.
 * Returns 0 or -WM_E…, the sentence where *speaker says so. */
int wm_recordings_open(const int ranks[], const char *program, struct wm_error *error, bool *speaker);
/* The first process with a file that is no longer whole says so. Collective over the processes. */
void wm_recordings_check(void);
/* Does nothing where there is no trace. */
void wm_recordings_close(void);

#endif
