/* Persistent collectives of the MPI library: has it any? In Open MPI 4.1 they are an extension, MPIX_…_init. */
#ifndef WM_PERSISTENT_LIBRARY_H
#define WM_PERSISTENT_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>
#include "waymark/call.h"

#ifdef __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#if defined OMPI_HAVE_MPI_EXT_PCOLLREQ && OMPI_HAVE_MPI_EXT_PCOLLREQ
#define WM_PERSISTENT_LIBRARY 1
#else
#define WM_PERSISTENT_LIBRARY 0
#endif

/* Free a persistent collective of the library's that was made here, inactive. Open MPI 4.1's MPI_Request_free leaves
 * its schedule behind, and its temporary buffer, as large as the data. */
void wm_persistent_library_free(MPI_Request *request);

/* Has `call->init`, which made the request, taken a place among the communicator's nonblocking calls? In Open MPI 4.1
 * an alltoallv or alltoallw in place takes none at a rank that has no data. All others take one, or none at all ranks
 * alike. */
bool wm_persistent_library_has_place(const struct wm_call *call, MPI_Request request);

#endif
