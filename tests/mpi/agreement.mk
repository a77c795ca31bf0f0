# Ranks that lack Waymark, have another version, or come late.
TESTS += tests/mpi/agreement.sh
EXTRA_DIST += tests/mpi/agreement.sh
check_LTLIBRARIES += libwm-late-test.la libwm-held-test.la
libwm_late_test_la_SOURCES = tests/mpi/late.c
libwm_late_test_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath /nowhere
libwm_late_test_la_LIBADD = $(MPI_LIBS)
libwm_held_test_la_SOURCES = tests/mpi/held.c
libwm_held_test_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath /nowhere
libwm_held_test_la_LIBADD = $(MPI_LIBS)
