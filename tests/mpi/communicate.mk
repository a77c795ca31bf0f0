# Statements at run time.
MPI_TESTS += tests/mpi/communicate.sh
EXTRA_DIST += tests/mpi/communicate.sh tests/mpi/communicate_f.F90 tests/mpi/communicate_plain.cc
check_PROGRAMS += tests/mpi/communicate tests/mpi/communicate_rules tests/mpi/communicate_wrong
tests_mpi_communicate_SOURCES = tests/mpi/communicate.c
tests_mpi_communicate_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_communicate_LDADD = libwaymark.la $(MPI_LIBS) -lm
tests_mpi_communicate_rules_SOURCES = tests/mpi/communicate_rules.c
tests_mpi_communicate_rules_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_communicate_rules_LDADD = libwaymark.la $(MPI_LIBS)
tests_mpi_communicate_wrong_SOURCES = tests/mpi/communicate_wrong.c
tests_mpi_communicate_wrong_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_communicate_wrong_LDADD = libwaymark.la $(MPI_LIBS)
CLEANFILES += tests/mpi/communicate_f
tests/mpi/communicate_f: tests/mpi/communicate_f.F90 libwaymark.la
	$(AM_V_GEN)$(MKDIR_P) tests/mpi && $(MPIFORT) -cpp -O1 -ffree-line-length-none -o $@ $(srcdir)/tests/mpi/communicate_f.F90 -L.libs -lwaymark
if HAVE_MPIFORT
check_SCRIPTS += tests/mpi/communicate_f
endif
