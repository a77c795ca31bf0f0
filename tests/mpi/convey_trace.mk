# The trace of a conveyor, from the program to the report.
MPI_TESTS += tests/mpi/convey_trace.sh
EXTRA_DIST += tests/mpi/convey_trace.sh
check_PROGRAMS += tests/mpi/convey_trace
tests_mpi_convey_trace_LDADD = libwaymark.la $(MPI_LIBS)
