# Synchronous conveyors, and biconveyors.
MPI_TESTS += tests/mpi/convey_sync.sh tests/mpi/biconvey.sh
EXTRA_DIST += tests/mpi/convey_sync.sh tests/mpi/biconvey.sh tests/mpi/convey_maps/bulk.scm tests/mpi/convey_maps/bulk-ragged.scm
check_PROGRAMS += tests/mpi/convey_sync tests/mpi/biconvey
tests_mpi_convey_sync_SOURCES = tests/mpi/convey_sync.c
tests_mpi_convey_sync_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_convey_sync_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_biconvey_SOURCES = tests/mpi/biconvey.c
tests_mpi_biconvey_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_biconvey_LDADD = libwaymark.la $(MPI_LIBS)
