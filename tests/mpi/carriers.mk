# Conveyors' carriers over MPI, and monsters.
MPI_TESTS += tests/mpi/carriers.sh
EXTRA_DIST += tests/mpi/carriers.sh
check_PROGRAMS += tests/mpi/carriers tests/mpi/monsters
tests_mpi_carriers_LDADD = $(runtime_parts) $(MPI_LIBS)
tests_mpi_monsters_LDADD = $(runtime_parts) $(MPI_LIBS)
