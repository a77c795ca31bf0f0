# The guard: mismatches, deadlocks, and what is legal.
TESTS += tests/mpi/guard_watch.sh tests/mpi/shrink.sh
MPI_TESTS += tests/mpi/guarded.sh tests/mpi/verify.sh
EXTRA_DIST += tests/mpi/verify.sh tests/mpi/guarded.sh tests/mpi/guard_watch.sh tests/mpi/shrink.sh tests/mpi/guarded_f.F90
check_PROGRAMS += tests/mpi/guarded tests/mpi/guarded_nonblocking tests/mpi/guarded_messages tests/mpi/mismatched \
	tests/mpi/flawed tests/mpi/shrink
tests_mpi_mismatched_CFLAGS = $(tests_mpi_guarded_CFLAGS)
tests_mpi_mismatched_LDADD = $(MPI_LIBS)
tests_mpi_flawed_CFLAGS = $(tests_mpi_guarded_CFLAGS)
tests_mpi_flawed_LDADD = $(MPI_LIBS)
tests_mpi_shrink_LDADD = $(MPI_LIBS)
# A call at the end of a function is to return to it.
tests_mpi_guarded_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls
tests_mpi_guarded_LDADD = $(MPI_LIBS)
tests_mpi_guarded_nonblocking_CFLAGS = $(tests_mpi_guarded_CFLAGS)
tests_mpi_guarded_nonblocking_LDADD = $(MPI_LIBS)
tests_mpi_guarded_messages_CFLAGS = $(tests_mpi_guarded_CFLAGS)
tests_mpi_guarded_messages_LDADD = $(MPI_LIBS)

CLEANFILES += tests/mpi/guarded_f
tests/mpi/guarded_f: tests/mpi/guarded_f.F90
	$(AM_V_GEN)$(MKDIR_P) tests/mpi && $(MPIFORT) -cpp -O1 -g -ffree-line-length-none -o $@ $(srcdir)/tests/mpi/guarded_f.F90
if HAVE_MPIFORT
check_SCRIPTS += tests/mpi/guarded_f
endif
