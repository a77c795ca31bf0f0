# Messages between processes.
MPI_TESTS += tests/mpi/wire.sh
EXTRA_DIST += tests/mpi/wire.sh
check_PROGRAMS += tests/mpi/lost tests/mpi/message_threads tests/mpi/wire tests/mpi/wire_model
tests_mpi_lost_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_message_threads_LDADD = $(runtime_parts) $(MPI_LIBS)
tests_mpi_wire_LDADD = $(runtime_parts) $(MPI_LIBS)
tests_mpi_wire_model_LDADD = $(runtime_parts) $(MPI_LIBS)
