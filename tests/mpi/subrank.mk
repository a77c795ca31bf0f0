# MPI among subranks.
MPI_TESTS += tests/mpi/random_programs.sh tests/mpi/subrank.sh tests/mpi/subrank_maps.sh tests/mpi/superblock.sh
TESTS += tests/mpi/subrank_functions.sh
EXTRA_DIST += tests/mpi/random_programs.sh tests/mpi/subrank.sh tests/mpi/subrank_maps.sh tests/mpi/subrank_functions.sh \
	tests/mpi/subrank_program.c tests/mpi/random_programs.c tests/mpi/random_programs.h \
	tests/mpi/random_programs_inter.c tests/mpi/superblock.sh \
	tests/mpi/superblock_faults.c tests/mpi/superblock_jacobi.c tests/mpi/superblock_order.c
EXTRA_DIST += tests/mpi/subrank_f.F90
check_PROGRAMS += tests/mpi/subrank
tests_mpi_subrank_SOURCES = tests/mpi/subrank.c tests/mpi/subrank.h tests/mpi/subrank_collectives.c \
	tests/mpi/subrank_comms.c tests/mpi/subrank_inter.c tests/mpi/subrank_messages.c
tests_mpi_subrank_LDFLAGS = $(AM_LDFLAGS) -export-dynamic
tests_mpi_subrank_LDADD = libwm-subranks.la $(runtime_parts) $(MPI_LIBS) -ldl
