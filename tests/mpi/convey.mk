# Conveyors: random and adversarial cases, and a program written to the published headers.
MPI_TESTS += tests/mpi/convey.sh
EXTRA_DIST += tests/mpi/convey.sh tests/mpi/convey_maps/bulk-ragged.scm tests/mpi/convey_maps/choices.scm tests/mpi/convey_maps/dealt.scm \
	tests/mpi/convey_maps/messages.scm tests/mpi/convey_maps/one-hop.scm tests/mpi/convey_maps/synchronous.scm \
	tests/mpi/convey_maps/held.scm tests/mpi/convey_maps/three-hops.scm tests/mpi/convey_maps/three-levels.scm tests/mpi/convey_maps/two-hops.scm
check_PROGRAMS += tests/mpi/convey tests/mpi/convey_published
tests_mpi_convey_SOURCES = tests/mpi/convey_main.c tests/mpi/convey_cases.h tests/mpi/convey_allocators.c tests/mpi/convey_alone.c \
	tests/mpi/convey_capture.c tests/mpi/convey_chain.c tests/mpi/convey_codecs.c tests/mpi/convey_flow.c \
	tests/mpi/convey_handler.c tests/mpi/convey_kinds.c tests/mpi/convey_loads.c \
	tests/mpi/convey_places.c tests/mpi/convey_refusals.c tests/mpi/convey_replies.c tests/mpi/convey_states.c \
	tests/mpi/convey_stream.c tests/mpi/convey_take.c
tests_mpi_convey_LDADD = libwaymark.la $(MPI_LIBS)
# Nothing of the build but the two directories in which an installed header would be found.
tests_mpi_convey_published_CPPFLAGS = -I$(top_srcdir)/include/waymark/bale -I$(top_srcdir)/include -I$(top_srcdir) $(MPI_CFLAGS)
tests_mpi_convey_published_LDADD = libwaymark.la $(MPI_LIBS)
