# Control of the recording: levels, windows, marks, waits.
MPI_TESTS += tests/mpi/control.sh
EXTRA_DIST += tests/mpi/control.sh tests/mpi/control_f.F90
check_PROGRAMS += tests/mpi/control tests/mpi/control_look
tests_mpi_control_LDADD = $(MPI_LIBS) -lpthread

fortran_control = tests/mpi/control_mpif tests/mpi/control_usempi tests/mpi/control_f08
CLEANFILES += $(fortran_control)
compile_control = $(AM_V_GEN)$(MKDIR_P) tests/mpi && $(MPIFORT) -cpp -O1 -w -ffree-line-length-none
tests/mpi/control_mpif: tests/mpi/control_f.F90
	$(compile_control) -fallow-argument-mismatch -DCONTROL_MPIF -o $@ $(srcdir)/tests/mpi/control_f.F90
tests/mpi/control_usempi: tests/mpi/control_f.F90
	$(compile_control) -DCONTROL_USEMPI -o $@ $(srcdir)/tests/mpi/control_f.F90
tests/mpi/control_f08: tests/mpi/control_f.F90
	$(compile_control) -DCONTROL_F08 -o $@ $(srcdir)/tests/mpi/control_f.F90
if HAVE_MPIFORT
check_SCRIPTS += $(fortran_control)
endif
