/* Doors of what subranks do not have: windows, files, processes that are spawned or connected, intercommunicators. They
 * do not come back, so they look at no argument, and their prototypes are not MPI's: mpi.h is not included here. */
#include "core/subrank/functions.h"
#include "core/subrank/refuse.h"

#define REFUSED(name)                                                                                                  \
    __attribute__((visibility("default"))) void MPI_##name(void);                                                      \
    void MPI_##name(void)                                                                                              \
    {                                                                                                                  \
        wm_rank_refuse("MPI_" #name);                                                                                  \
    }
WM_RANK_REFUSED(REFUSED)

/* Fortran's interface of the library goes past all doors of C. */
#define REFUSED_FORTRAN(name)                                                                                          \
    __attribute__((visibility("default"))) void name(void);                                                            \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        wm_rank_refuse(#name " (of Fortran)");                                                                         \
    }
REFUSED_FORTRAN(mpi_init_)
REFUSED_FORTRAN(mpi_init_thread_)
REFUSED_FORTRAN(mpi_init_f08_)
REFUSED_FORTRAN(mpi_init_thread_f08_)
