# What stays native, and why.
MPI_TESTS += tests/mpi/reasons.sh
EXTRA_DIST += tests/mpi/reasons.sh
check_PROGRAMS += tests/mpi/reasons
tests_mpi_reasons_LDADD = $(MPI_LIBS)
