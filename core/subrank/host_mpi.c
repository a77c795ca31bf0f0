/* MPI in the host: the library's own, of which the subranks see nothing. */
#include <mpi.h>
#include <stdio.h>
#include "core/subrank/host.h"
#include "core/subrank/schedule.h"
#include "core/subrank/world.h"

static bool started;

/* What has no door of ours workers call at the same time: the library's own functions for types, operators and infos;
 * MPI_Op_free, too, for its door holds nothing. */
int wm_host_mpi_start(const char *program, struct wm_error *error)
{
    int wanted = wm_host.workers > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, given, rc = 0;

    if (PMPI_Init_thread(NULL, NULL, wanted, &given) != MPI_SUCCESS)
        return wm_error_set(error, -WM_EMPI,
                            "the MPI library does not start; run the program without subranks to see why");
    if (given < wanted)
        return wm_error_set(error, -WM_EMPI,
                            "this MPI library has no MPI_THREAD_MULTIPLE, which several workers need; run the program "
                            "with --workers 1");
    for (int i = 0; rc == 0 && i < wm_host.count; i++)
        rc = wm_world_know_copy(wm_host.lives[i].copy.loaded);
    if (rc < 0)
        return wm_error_set(error, rc, "no memory for %d subranks; run fewer in a process", wm_host.count);
    rc = wm_world_start(wm_host.count, program, error);
    started = rc == 0;
    return rc;
}

void wm_host_mpi_stop(void)
{
    started = false;
    wm_world_stop();
    PMPI_Finalize();
}

void wm_host_mpi_leave(int status)
{
    int number = wm_subrank_self();

    if (!started || number < 0 || !wm_world_is_inside(number))
        return;
    fprintf(stderr, "waymark: subrank %d ends with status %d inside MPI; call MPI_Finalize before, or MPI_Abort\n",
            wm_world_rank(number), status);
    wm_world_abort(status != 0 ? status : EXIT_FAILURE);
}
