# The memory that conveyors hold, against what `waymark show` says beforehand.
TESTS += tests/mpi/convey_memory.sh
EXTRA_DIST += tests/mpi/convey_memory.sh
check_PROGRAMS += tests/mpi/convey_memory
tests_mpi_convey_memory_LDADD = libwaymark.la $(MPI_LIBS)
