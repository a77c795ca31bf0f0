# Faults that a map makes.
MPI_TESTS += tests/mpi/made_faults.sh
EXTRA_DIST += tests/mpi/made_faults.sh
check_PROGRAMS += tests/mpi/made_faults
tests_mpi_made_faults_LDADD = $(MPI_LIBS)
