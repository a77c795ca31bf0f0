# The common clock: ranks whose clocks disagree, held against the truth.
TESTS += tests/mpi/clock.sh
EXTRA_DIST += tests/mpi/clock.sh
check_PROGRAMS += tests/mpi/clock tests/mpi/clock_check
tests_mpi_clock_LDADD = $(MPI_LIBS)
check_LTLIBRARIES += libwm-skewed-clock-test.la
libwm_skewed_clock_test_la_SOURCES = tests/mpi/skewed_clock.c
libwm_skewed_clock_test_la_CFLAGS = $(WARNINGS) -std=gnu11
libwm_skewed_clock_test_la_LIBADD = -ldl -lm
libwm_skewed_clock_test_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -rpath /nowhere
