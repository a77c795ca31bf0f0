# Communicators made, used and freed.
MPI_TESTS += tests/mpi/communicators.sh
EXTRA_DIST += tests/mpi/communicators.sh
check_PROGRAMS += tests/mpi/communicators
tests_mpi_communicators_LDFLAGS = -rdynamic
tests_mpi_communicators_LDADD = $(MPI_LIBS)
