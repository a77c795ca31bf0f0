/* The guard: the pages of this process's node, and the process that watches over them, one on each node, started by the
 * node's first rank where the settings want one (tools/doctor/guard.c is what it does). No rank waits for it, and it
 * keeps nothing open that a launcher waits for. */
#ifndef WM_JOB_GUARD_H
#define WM_JOB_GUARD_H

#include "core/error.h"

/* Make and publish this rank's page, if the settings want one, and start the guard over those of the node. Where it
 * cannot be started the node's first rank says so, and the job goes on. Returns 0 or -WM_E… with a sentence. Collective
 * over MPI_COMM_WORLD. */
int wm_guard_start(struct wm_error *error);

#endif
