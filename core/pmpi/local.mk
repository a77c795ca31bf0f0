# The doors, generated from one table of MPI functions: in the library that programs link, and in one to preload.
# -Bsymbolic-functions: a Fortran door goes through this library's own C door, whatever else is preloaded.
lib_LTLIBRARIES += libwaymark-mpi.la

doors_generated = core/pmpi/doors.c core/pmpi/doors_fortran.c
doors_sources = core/pmpi/door.h core/pmpi/fortran.h core/pmpi/fortran.c core/pmpi/fortran_constants.c \
	$(doors_generated)

noinst_LTLIBRARIES += libwm-doors.la
libwm_doors_la_SOURCES = $(doors_sources)
libwm_doors_la_CFLAGS = $(AM_CFLAGS) $(CLEARING_FLAGS)

# sched_yield() has to come before the C library's, as a door does.
libwaymark_mpi_la_SOURCES = core/node/rest.c core/node/rest.h
libwaymark_mpi_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -Wl,-Bsymbolic-functions
libwaymark_mpi_la_LIBADD = libwm-doors.la libwaymark.la $(MPI_LIBS)

BUILT_SOURCES += $(doors_generated)
CLEANFILES += $(doors_generated)
EXTRA_DIST += core/pmpi/functions.scm core/pmpi/generate.scm

doors_table = core/pmpi/generate.scm core/pmpi/functions.scm
generate_doors = $(MKDIR_P) core/pmpi && $(GUILE) --no-auto-compile $(srcdir)/core/pmpi/generate.scm
doors_from = $(srcdir)/core/pmpi/functions.scm > $@.tmp && mv $@.tmp $@

core/pmpi/doors.c: $(doors_table)
	$(AM_V_GEN)$(generate_doors) c $(doors_from)
core/pmpi/doors_fortran.c: $(doors_table)
	$(AM_V_GEN)$(generate_doors) fortran $(doors_from)
EXTRA_DIST += core/pmpi/README.md
