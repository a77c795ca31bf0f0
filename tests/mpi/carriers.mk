# Conveyors' carriers over MPI, and monsters.
MPI_TESTS += tests/mpi/carriers.sh
EXTRA_DIST += tests/mpi/carriers.sh
check_PROGRAMS += tests/mpi/carriers tests/mpi/monsters
tests_mpi_carriers_LDADD = libwm-runtime.la $(MPI_LIBS)
tests_mpi_monsters_LDADD = libwm-runtime.la $(MPI_LIBS)
