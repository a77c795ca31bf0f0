/* Communicators of our own. */
#ifndef WM_OWN_COMM_H
#define WM_OWN_COMM_H

#include <mpi.h>

/* Make one for the ranks of `comm`, on which errors are returned; MPI_COMM_NULL after an error. Not a dup, which would
 * run the user's copy callbacks of attributes. Collective over `comm`. Returns the library's code. */
int wm_own_comm_make(MPI_Comm comm, MPI_Comm *own);

#endif
