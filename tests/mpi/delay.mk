# Emulated networks.
MPI_TESTS += tests/mpi/delay.sh
EXTRA_DIST += tests/mpi/delay.sh
check_PROGRAMS += tests/mpi/delay
tests_mpi_delay_SOURCES = tests/mpi/delay.c tests/mpi/places.h
tests_mpi_delay_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
tests_mpi_delay_LDADD = libwm-runtime.la $(MPI_LIBS)
