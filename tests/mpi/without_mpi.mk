# Programs that never call MPI_Init.
MPI_TESTS += tests/mpi/without_mpi.sh
EXTRA_DIST += tests/mpi/without_mpi.sh
