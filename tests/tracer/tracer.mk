# Tests of the recorder, the reader and the report; no MPI.
if HAVE_CUNIT
tracer_tests = \
	tests/tracer/test_belts \
	tests/tracer/test_charge \
	tests/tracer/test_clocks \
	tests/tracer/test_interval \
	tests/tracer/test_diff \
	tests/tracer/test_live \
	tests/tracer/test_reader \
	tests/tracer/test_recorder \
	tests/tracer/test_report
check_PROGRAMS += $(tracer_tests)
TESTS += $(tracer_tests)

tracer_test_cflags = $(AM_CFLAGS) $(CUNIT_CFLAGS) $(JANSSON_CFLAGS)
tracer_test_libs = libwm-report.la libwm-tracer.la libwm-pure.la $(CUNIT_LIBS) $(JANSSON_LIBS) -lm

tests_tracer_test_belts_SOURCES = tests/tracer/test_belts.c tests/tracer/traces.h tests/check.h
tests_tracer_test_belts_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_belts_LDADD = $(tracer_test_libs)
tests_tracer_test_charge_SOURCES = tests/tracer/test_charge.c tests/check.h
tests_tracer_test_charge_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_charge_LDADD = $(tracer_test_libs)
tests_tracer_test_clocks_SOURCES = tests/tracer/test_clocks.c tests/tracer/traces.h tests/check.h
tests_tracer_test_clocks_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_clocks_LDADD = $(tracer_test_libs)
tests_tracer_test_interval_SOURCES = tests/tracer/test_interval.c tests/check.h
tests_tracer_test_interval_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_interval_LDADD = $(tracer_test_libs)
tests_tracer_test_diff_SOURCES = tests/tracer/test_diff.c tests/tracer/traces.h tests/check.h
tests_tracer_test_diff_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_diff_LDADD = $(tracer_test_libs)
tests_tracer_test_live_SOURCES = tests/tracer/test_live.c tests/tracer/traces.h tests/check.h
tests_tracer_test_live_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_live_LDADD = $(tracer_test_libs) -lpthread
tests_tracer_test_reader_SOURCES = tests/tracer/test_reader.c tests/tracer/traces.h tests/check.h
tests_tracer_test_reader_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_reader_LDADD = $(tracer_test_libs)
tests_tracer_test_recorder_SOURCES = tests/tracer/test_recorder.c tests/tracer/traces.h tests/check.h
tests_tracer_test_recorder_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_recorder_LDADD = $(tracer_test_libs)
tests_tracer_test_report_SOURCES = tests/tracer/test_report.c tests/tracer/traces.h tests/check.h
tests_tracer_test_report_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_report_LDADD = $(tracer_test_libs)
endif
