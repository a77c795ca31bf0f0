/* The launcher: which rank of a job this process will be, as mpirun or srun says before MPI_Init. */
#ifndef WM_TOOLS_LAUNCHER_H
#define WM_TOOLS_LAUNCHER_H

#include <stdbool.h>

struct wm_launch {
    bool launched; /* false: by nobody that we know; then a job of one rank */
    int rank;
    int size;       /* -1: the launcher does not say */
    int local_rank; /* number of the rank on its host; `rank` where the launcher does not say */
    bool spawned;   /* by MPI_Comm_spawn */
};

struct wm_launch wm_launch_read(void);

#endif
