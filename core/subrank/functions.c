/* The table of functions, with the doors' addresses: all doors are linked where the world is. mpi.h is not included,
 * since addresses are all that is wanted of them. */
#include "core/subrank/functions.h"

#define DECLARED(name) extern void MPI_##name(void);
WM_RANK_OURS(DECLARED)
WM_RANK_COLLECTIVES(DECLARED)
WM_RANK_REFUSED(DECLARED)

const struct wm_rank_function wm_rank_functions[] = {
#define DOOR_HERE(name) {"MPI_" #name, MPI_##name},
#define NO_DOOR(name) {"MPI_" #name, 0},
    WM_RANK_OURS(DOOR_HERE) WM_RANK_COLLECTIVES(DOOR_HERE) WM_RANK_REFUSED(DOOR_HERE) WM_RANK_LIBRARY(NO_DOOR){0, 0}};
