#!/bin/sh
# Print -DDOORS_PERSISTENT if the MPI library has persistent collectives, as core/pmpi/door.h finds out.
echo '#include <mpi-ext.h>' | "${MPICC:-mpicc}" -include mpi.h -E -dM - 2>/dev/null |
    sed -n 's/^#define OMPI_HAVE_MPI_EXT_PCOLLREQ 1$/-DDOORS_PERSISTENT/p'
