# A node's memory, and messages through it.
TESTS += tests/mpi/nodes.sh tests/mpi/contained.sh
EXTRA_DIST += tests/mpi/nodes.sh tests/mpi/contained.sh
check_PROGRAMS += tests/mpi/nodes
tests_mpi_nodes_LDADD = $(runtime_parts) $(MPI_LIBS)

check_LTLIBRARIES += libwm-forbidding-test.la
libwm_forbidding_test_la_SOURCES = tests/mpi/forbidding.c
libwm_forbidding_test_la_CFLAGS = $(WARNINGS) -std=gnu11
libwm_forbidding_test_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath /nowhere

MPI_TESTS += tests/mpi/messages.sh
EXTRA_DIST += tests/mpi/messages.sh
check_PROGRAMS += tests/mpi/messages
tests_mpi_messages_LDADD = $(runtime_parts) $(MPI_LIBS)
