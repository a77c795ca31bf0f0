# Random collectives, faults, and real programs, under mpirun.
MPI_TESTS += tests/mpi/bench.sh tests/mpi/profile.sh tests/mpi/maps_apart.sh tests/mpi/requests.sh tests/mpi/threads.sh tests/mpi/flights.sh tests/mpi/collectives.sh tests/mpi/bits.sh tests/mpi/shape.sh tests/mpi/hpcc.sh tests/mpi/fortran_program.sh
MPI_TESTS += tests/mpi/faults.sh
EXTRA_DIST += tests/mpi/bench.sh tests/mpi/profile.sh tests/mpi/maps_apart.sh tests/mpi/mpich_suite tests/mpi/requests.sh tests/mpi/threads.sh tests/mpi/threads.supp tests/mpi/job.sh tests/mpi/flights.sh tests/mpi/collectives.sh tests/mpi/bits.sh tests/mpi/shape.sh tests/mpi/faults.sh tests/mpi/hpcc.sh tests/mpi/fortran_program.sh \
	tests/mpi/collectives_f.F90 tests/mpi/trapping.F90 tests/mpi/maps/all-held.scm tests/mpi/maps/all-levels.scm tests/mpi/maps/all-rounds.scm tests/mpi/maps/arriving.scm tests/mpi/maps/choices.scm tests/mpi/maps/dealt.scm \
	tests/mpi/maps/many.scm tests/mpi/maps/ordered.scm tests/mpi/maps/pairs.scm tests/mpi/maps/prefixes.scm tests/mpi/maps/segments.scm \
	tests/mpi/maps/shards.scm tests/mpi/maps/three-levels.scm tests/mpi/maps/trees.scm

check_PROGRAMS += tests/mpi/collectives tests/mpi/faulty tests/mpi/maps_apart tests/mpi/flights tests/mpi/requests tests/mpi/threads
check_LTLIBRARIES += tests/mpi/libspoiling.la
tests_mpi_libspoiling_la_SOURCES = tests/mpi/spoiling.c
tests_mpi_libspoiling_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_mpi_maps_apart_LDADD = $(MPI_LIBS)
tests_mpi_requests_LDADD = $(MPI_LIBS)
tests_mpi_threads_LDADD = libwaymark.la $(MPI_LIBS) -lpthread
tests_mpi_flights_LDADD = $(runtime_parts) $(MPI_LIBS)
tests_mpi_collectives_SOURCES = tests/mpi/collectives.c tests/mpi/collectives.h tests/mpi/collectives_blocks.c tests/mpi/collectives_neighbours.c tests/mpi/collectives_comms.c \
	tests/mpi/collectives_kinds.c tests/mpi/collectives_parts.c
tests_mpi_collectives_LDADD = $(MPI_LIBS) -lpthread
tests_mpi_faulty_LDADD = $(MPI_LIBS) -lpthread

fortran_collectives = tests/mpi/collectives_mpif tests/mpi/collectives_usempi tests/mpi/collectives_f08 tests/mpi/trapping
CLEANFILES += $(fortran_collectives)

# Each program has a module of its own name: its file stands beside the program.
compile_collectives = $(AM_V_GEN)$(MKDIR_P) $@.modules && $(MPIFORT) `MPICC='$(MPICC)' $(srcdir)/tests/mpi/doors_persistent.sh` -cpp -O1 -w \
	-ffree-line-length-none -J $@.modules
tests/mpi/collectives_mpif: tests/mpi/collectives_f.F90
	$(compile_collectives) -fallow-argument-mismatch -DDOORS_MPIF -o $@ $(srcdir)/tests/mpi/collectives_f.F90
tests/mpi/collectives_usempi: tests/mpi/collectives_f.F90
	$(compile_collectives) -DDOORS_USEMPI -o $@ $(srcdir)/tests/mpi/collectives_f.F90
tests/mpi/collectives_f08: tests/mpi/collectives_f.F90
	$(compile_collectives) -DDOORS_F08 -o $@ $(srcdir)/tests/mpi/collectives_f.F90
tests/mpi/trapping: tests/mpi/trapping.F90
	$(compile_collectives) -ffpe-trap=invalid,zero,overflow -o $@ $(srcdir)/tests/mpi/trapping.F90
clean-local: clean-collectives-modules
clean-collectives-modules:
	rm -rf tests/mpi/collectives_mpif.modules tests/mpi/collectives_usempi.modules tests/mpi/collectives_f08.modules \
		tests/mpi/trapping.modules
.PHONY: clean-collectives-modules

if HAVE_MPIFORT
check_SCRIPTS += $(fortran_collectives)
endif
