# What the map says of messages is what happens.
MPI_TESTS += tests/mpi/ways.sh
EXTRA_DIST += tests/mpi/ways.sh tests/mpi/ways.scm tests/mpi/ways-of-all.scm
check_PROGRAMS += tests/mpi/ways
tests_mpi_ways_LDADD = $(runtime_parts) $(MPI_LIBS)
# What is recorded of them.
MPI_TESTS += tests/mpi/messages_trace.sh tests/mpi/own_messages.sh
EXTRA_DIST += tests/mpi/messages_trace.sh tests/mpi/own_messages.sh tests/mpi/messages_trace.scm
check_PROGRAMS += tests/mpi/messages_trace tests/mpi/own_messages
tests_mpi_messages_trace_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_own_messages_LDADD = $(MPI_LIBS)
