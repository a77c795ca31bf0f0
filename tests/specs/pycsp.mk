# The maps of specs/pycsp, with the program of tests/mpi/collectives.mk.
MPI_TESTS += tests/specs/pycsp.sh
EXTRA_DIST += tests/specs/pycsp.sh
