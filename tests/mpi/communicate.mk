# Statements at run time.
MPI_TESTS += tests/mpi/communicate.sh
EXTRA_DIST += tests/mpi/communicate.sh
check_PROGRAMS += tests/mpi/communicate tests/mpi/communicate_wrong
tests_mpi_communicate_SOURCES = tests/mpi/communicate.c
tests_mpi_communicate_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_communicate_LDADD = libwaymark.la $(MPI_LIBS) -lm
tests_mpi_communicate_wrong_SOURCES = tests/mpi/communicate_wrong.c
tests_mpi_communicate_wrong_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_communicate_wrong_LDADD = libwaymark.la $(MPI_LIBS)
