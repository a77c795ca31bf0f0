/* Has the MPI library persistent collectives? In Open MPI 4.1 they are an extension, MPIX_…_init. */
#ifndef WM_PERSISTENT_LIBRARY_H
#define WM_PERSISTENT_LIBRARY_H

#include <mpi.h>

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

#endif
