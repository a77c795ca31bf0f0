/* A program that ends without MPI_Init is told of. */
#include "core/job/without_mpi.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Not a child, which has the variable as well. */
static bool is_program(void)
{
    const char *pid = getenv(WM_PROGRAM_PID);

    return pid != NULL && atol(pid) == (long)getpid();
}

static bool had_children(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_CHILDREN, &usage) == 0 && usage.ru_maxrss > 0;
}

static void tell(int status, void *unused)
{
    int initialized = 0;

    (void)unused;
    if (status != 0 || !is_program() || had_children())
        return;
    PMPI_Initialized(&initialized);
    if (!initialized)
        fprintf(stderr,
                "waymark: '%s' ended without MPI_Init, so nothing of it came to Waymark; "
                "is it built with MPI, and with this MPI library? (ldd shows it)\n",
                program_invocation_short_name);
}

__attribute__((constructor)) static void watch(void)
{
    if (is_program())
        on_exit(tell, NULL);
}
