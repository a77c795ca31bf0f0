# Communicators of several MPI_COMM_WORLDs.
TESTS += tests/mpi/worlds.sh
EXTRA_DIST += tests/mpi/worlds.sh
check_PROGRAMS += tests/mpi/worlds
tests_mpi_worlds_LDADD = $(MPI_LIBS)
