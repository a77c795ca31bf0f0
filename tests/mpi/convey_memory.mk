# The memory that conveyors hold, against what `waymark show` says beforehand.
TESTS += tests/mpi/convey_memory.sh
EXTRA_DIST += tests/mpi/convey_memory.sh
check_PROGRAMS += tests/mpi/convey_memory
tests_mpi_convey_memory_SOURCES = tests/mpi/convey_memory.c
tests_mpi_convey_memory_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_convey_memory_LDADD = libwaymark.la $(MPI_LIBS)
