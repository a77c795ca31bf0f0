# Point-to-point messages by the layer.
MPI_TESTS += tests/mpi/p2p.sh
EXTRA_DIST += tests/mpi/p2p.sh tests/mpi/mpich_p2p
check_PROGRAMS += tests/mpi/p2p tests/mpi/p2p_windows
tests_mpi_p2p_SOURCES = tests/mpi/p2p.c tests/mpi/p2p.h tests/mpi/p2p_buffer.c tests/mpi/p2p_faults.c \
	tests/mpi/p2p_requests.c tests/mpi/p2p_traffic.c tests/mpi/p2p_types.c tests/mpi/places.h
tests_mpi_p2p_LDADD = $(runtime_parts) $(MPI_LIBS)
tests_mpi_p2p_windows_SOURCES = tests/mpi/p2p_windows.c tests/mpi/p2p_mpi.c tests/mpi/p2p_mpi.h \
	tests/mpi/places.h
tests_mpi_p2p_windows_LDADD = $(tests_mpi_p2p_LDADD)
