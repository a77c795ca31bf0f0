# Planted faults: what the report says of them, and whether its advice helps.
MPI_TESTS += tests/mpi/planted.sh tests/lab/planted.sh
EXTRA_DIST += tests/mpi/planted.sh tests/mpi/planted.inc.sh tests/lab/planted.sh
check_PROGRAMS += tests/mpi/planted tests/mpi/finding
tests_mpi_planted_LDADD = $(MPI_LIBS)
