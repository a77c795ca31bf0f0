/* The guard's process: one on each node, started by the node's first rank where the settings want one
 * (tools/doctor/guard.c is what it does). No rank waits for it, and it keeps nothing open that a launcher waits for. */
#ifndef WM_JOB_GUARD_H
#define WM_JOB_GUARD_H

/* Start the guard over the pages that wm_publish_start has made. Where it cannot be started the node's first rank says
 * so, and the job goes on. Collective over MPI_COMM_WORLD. */
void wm_guard_start(void);

#endif
