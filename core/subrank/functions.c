/* The doors' addresses: where the world is linked, all doors are. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 /* the names of MPI 1 are declared */
#include "core/subrank/functions.h"
#include <mpi.h>
#include "core/data/persistent_library.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

const struct wm_rank_function wm_rank_doors[] = {
#define DOOR_HERE(name) {"MPI_" #name, (void (*)(void))MPI_##name},
    WM_RANK_OURS(DOOR_HERE) WM_RANK_COLLECTIVES(DOOR_HERE)
#if WM_PERSISTENT_LIBRARY
#define EXTENSION_HERE(name) {"MPIX_" #name, (void (*)(void))MPIX_##name},
        WM_RANK_PERSISTENT(EXTENSION_HERE)
#endif
            {0}};
