# Conveyors' carriers over MPI, and monsters.
MPI_TESTS += tests/mpi/carriers.sh
EXTRA_DIST += tests/mpi/carriers.sh
check_PROGRAMS += tests/mpi/carriers tests/mpi/monsters
tests_mpi_carriers_SOURCES = tests/mpi/carriers.c
tests_mpi_carriers_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
tests_mpi_carriers_LDADD = libwm-runtime.la $(MPI_LIBS)
tests_mpi_monsters_SOURCES = tests/mpi/monsters.c
tests_mpi_monsters_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_monsters_LDADD = libwm-runtime.la $(MPI_LIBS)
