# Emulated networks.
MPI_TESTS += tests/mpi/delay.sh
EXTRA_DIST += tests/mpi/delay.sh
check_PROGRAMS += tests/mpi/delay
tests_mpi_delay_LDADD = $(runtime_parts) $(MPI_LIBS)
