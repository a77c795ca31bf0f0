# Statements at run time.
MPI_TESTS += tests/mpi/communicate.sh
MPI_TESTS += tests/mpi/communicate_map.sh tests/mpi/communicate_plans.sh tests/mpi/communicate_random.sh
EXTRA_DIST += tests/mpi/communicate_map.scm tests/mpi/communicate.sh tests/mpi/communicate_map.sh tests/mpi/communicate_plans.sh tests/mpi/communicate_random.sh tests/mpi/communicate_f.F90 tests/mpi/communicate_plain.cc
check_PROGRAMS += tests/mpi/communicate tests/mpi/communicate_map tests/mpi/communicate_rules tests/mpi/communicate_wrong
tests_mpi_communicate_SOURCES = tests/mpi/communicate.c tests/mpi/communicate_check.h tests/mpi/communicate_names.c tests/mpi/communicate_names.h
tests_mpi_communicate_LDADD = libwaymark.la $(MPI_LIBS) -lm
tests_mpi_communicate_map_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_communicate_rules_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_communicate_wrong_LDADD = libwaymark.la $(MPI_LIBS)

# The library with its doors, of which this program sees the inside.
check_PROGRAMS += tests/mpi/communicate_plans tests/mpi/communicate_random
check_LTLIBRARIES += libwm-whole.la
libwm_whole_la_SOURCES =
libwm_whole_la_LIBADD = libwm-runtime.la libwm-doors.la
tests_mpi_communicate_plans_SOURCES = tests/mpi/communicate_plans.c tests/mpi/communicate_kinds.c tests/mpi/communicate_kinds.h
tests_mpi_communicate_plans_LDADD = libwm-whole.la $(NO_LTO_FLAGS) $(MPI_LIBS)
tests_mpi_communicate_random_SOURCES = tests/mpi/communicate_random.c tests/mpi/communicate_call.c \
	tests/mpi/communicate_change.c tests/mpi/communicate_kinds.c tests/mpi/communicate_kinds.h \
	tests/mpi/communicate_trial.c tests/mpi/communicate_trial.h $(random_statement_sources)
tests_mpi_communicate_random_LDADD = libwm-whole.la $(NO_LTO_FLAGS) $(MPI_LIBS) -lm

CLEANFILES += tests/mpi/communicate_f
tests/mpi/communicate_f: tests/mpi/communicate_f.F90 libwaymark.la
	$(AM_V_GEN)$(MKDIR_P) tests/mpi && $(MPIFORT) -cpp -O1 -ffree-line-length-none -o $@ $(srcdir)/tests/mpi/communicate_f.F90 -L.libs -lwaymark
if HAVE_MPIFORT
check_SCRIPTS += tests/mpi/communicate_f
endif
