# What stays native, and why.
MPI_TESTS += tests/mpi/reasons.sh
EXTRA_DIST += tests/mpi/reasons.sh
check_PROGRAMS += tests/mpi/reasons
tests_mpi_reasons_SOURCES = tests/mpi/reasons.c
tests_mpi_reasons_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_reasons_LDADD = $(MPI_LIBS)
