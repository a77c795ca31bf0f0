# Ports.
MPI_TESTS += tests/mpi/port.sh
EXTRA_DIST += tests/mpi/port.sh
check_PROGRAMS += tests/mpi/port
tests_mpi_port_LDADD = $(runtime_parts) $(MPI_LIBS)
