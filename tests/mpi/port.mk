# Ports.
MPI_TESTS += tests/mpi/port.sh
EXTRA_DIST += tests/mpi/port.sh
check_PROGRAMS += tests/mpi/port
tests_mpi_port_SOURCES = tests/mpi/port.c tests/mpi/places.h
tests_mpi_port_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
tests_mpi_port_LDADD = libwm-runtime.la $(MPI_LIBS)
