# Messages between processes.
MPI_TESTS += tests/mpi/wire.sh
EXTRA_DIST += tests/mpi/wire.sh
check_PROGRAMS += tests/mpi/lost tests/mpi/message_threads tests/mpi/wire tests/mpi/wire_model
tests_mpi_lost_SOURCES = tests/mpi/lost.c
tests_mpi_lost_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_lost_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_message_threads_SOURCES = tests/mpi/message_threads.c tests/mpi/places.h
tests_mpi_message_threads_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
tests_mpi_message_threads_LDADD = libwm-runtime.la $(MPI_LIBS)
tests_mpi_wire_SOURCES = tests/mpi/wire.c tests/mpi/places.h tests/core/message/protocols.h
tests_mpi_wire_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
tests_mpi_wire_LDADD = libwm-runtime.la $(MPI_LIBS)
tests_mpi_wire_model_SOURCES = tests/mpi/wire_model.c tests/mpi/places.h tests/core/message/model.h tests/core/message/protocols.h
tests_mpi_wire_model_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
tests_mpi_wire_model_LDADD = libwm-runtime.la $(MPI_LIBS)
