# The doors, with a runtime that counts in the place of Waymark's: from C, mpif.h, `use mpi` and mpi_f08.
MPI_TESTS += tests/mpi/doors.sh
TESTS += tests/mpi/door_symbols.sh
EXTRA_DIST += tests/mpi/doors.sh tests/mpi/door_symbols.sh tests/mpi/doors.F90 tests/mpi/doors_form.inc \
	tests/mpi/doors_persistent.sh tests/mpi/spawn.F90

check_LTLIBRARIES += libwm-doors-test.la
libwm_doors_test_la_SOURCES = $(doors_sources) core/path/operation.c include/waymark/operation.h \
	tests/mpi/counting_runtime.c tests/mpi/counting_runtime.h tests/mpi/pretended_spawn.c
libwm_doors_test_la_CPPFLAGS = $(AM_CPPFLAGS)
# A library that is not installed is a shared one only if it has an -rpath.
libwm_doors_test_la_LDFLAGS = $(libwaymark_mpi_la_LDFLAGS) -rpath /nowhere
libwm_doors_test_la_LIBADD = $(MPI_LIBS)

if HAVE_CUNIT
check_PROGRAMS += tests/mpi/test_doors
tests_mpi_test_doors_SOURCES = tests/mpi/test_doors.c core/path/operation.c tests/check.h
tests_mpi_test_doors_CPPFLAGS = $(AM_CPPFLAGS)
tests_mpi_test_doors_LDADD = libwm-doors-test.la $(MPI_LIBS) $(CUNIT_LIBS) -lpthread
endif

fortran_doors = tests/mpi/doors_mpif tests/mpi/doors_usempi tests/mpi/doors_f08 \
	tests/mpi/spawn_mpif tests/mpi/spawn_f08
CLEANFILES += $(fortran_doors)

# With mpif.h a compiler sees the same procedure called with other types, and warns.
# Each program's modules have a directory of their own.
compile_doors = $(AM_V_GEN)$(MKDIR_P) $@.modules && $(MPIFORT) -cpp -O1 -w -ffree-line-length-none \
	-J $@.modules -I$(srcdir)/tests/mpi `MPICC='$(MPICC)' $(srcdir)/tests/mpi/doors_persistent.sh`
clean-local: clean-doors
clean-doors:
	rm -rf $(fortran_doors:=.modules)
tests/mpi/doors_mpif: tests/mpi/doors.F90 tests/mpi/doors_form.inc
	$(compile_doors) -fallow-argument-mismatch -DDOORS_MPIF -o $@ $(srcdir)/tests/mpi/doors.F90
tests/mpi/doors_usempi: tests/mpi/doors.F90 tests/mpi/doors_form.inc
	$(compile_doors) -DDOORS_USEMPI -o $@ $(srcdir)/tests/mpi/doors.F90
tests/mpi/doors_f08: tests/mpi/doors.F90 tests/mpi/doors_form.inc
	$(compile_doors) -DDOORS_F08 -o $@ $(srcdir)/tests/mpi/doors.F90
tests/mpi/spawn_mpif: tests/mpi/spawn.F90
	$(compile_doors) -fallow-argument-mismatch -DDOORS_MPIF -o $@ $(srcdir)/tests/mpi/spawn.F90
tests/mpi/spawn_f08: tests/mpi/spawn.F90
	$(compile_doors) -DDOORS_F08 -o $@ $(srcdir)/tests/mpi/spawn.F90

if HAVE_MPIFORT
check_SCRIPTS += $(fortran_doors)
endif
