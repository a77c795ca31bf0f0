/* Doors of what subranks do not have: windows, files, processes that are spawned or connected. They
 * do not come back, so they look at no argument, and their prototypes are not MPI's: mpi.h is not included here. */
#include "core/subrank/functions.h"
#include "core/subrank/refuse.h"

#define REFUSED_AS(name)                                                                                               \
    __attribute__((visibility("default"))) void name(void);                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        wm_rank_refuse(#name);                                                                                         \
    }
#define REFUSED(name) REFUSED_AS(MPI_##name)
WM_RANK_REFUSED(REFUSED)

const struct wm_rank_function wm_rank_refused[] = {
#define REFUSED_HERE(name) {"MPI_" #name, MPI_##name},
    WM_RANK_REFUSED(REFUSED_HERE){0}};
