# The program waymark: its command line, and what it shows.
TESTS += tests/tools/bench.sh tests/tools/convert.sh tests/tools/explain.sh tests/tools/help.sh tests/tools/run.sh tests/tools/show.sh tests/tools/wrappers.sh
EXTRA_DIST += tests/tools/convert.sh tests/tools/bench.sh tests/tools/bench/result.json tests/tools/explain.sh tests/tools/help.sh tests/tools/run.sh tests/tools/show.sh tests/tools/wrappers.sh tests/tools/expect.sh \
	tests/tools/explain/map.scm tests/tools/explain/alone.txt tests/tools/explain/dealt.txt \
	tests/tools/explain/first.txt tests/tools/explain/native.txt tests/tools/explain/none.txt \
	tests/tools/explain/second.txt tests/tools/explain/unknown.txt \
	tests/tools/show/map.scm tests/tools/show/allreduce.txt tests/tools/show/alltoallv.txt \
	tests/tools/show/conveyor.txt tests/tools/show/conveyor-bulk.txt tests/tools/show/conveyor-rank.txt tests/tools/show/gather.txt \
	tests/tools/show/neighbor.txt tests/tools/show/rank.txt tests/tools/show/reduce-scatter.txt tests/tools/show/reduce.txt \
	tests/tools/show/scatterv-rank.txt tests/tools/show/shared.txt tests/tools/show/shared-rank.txt

# tests/tools/convert.sh converts what this one writes.
check_PROGRAMS += tests/tools/sample_trace
tests_tools_sample_trace_SOURCES = tests/tools/sample_trace.c tests/tools/sample_trace.h
tests_tools_sample_trace_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_tools_sample_trace_LDADD = libwm-tracer.la libwm-pure.la $(JANSSON_LIBS)

if HAVE_CUNIT
check_PROGRAMS += tests/tools/test_convert tests/tools/test_convert_perfetto
TESTS += tests/tools/test_convert tests/tools/test_convert_perfetto
convert_test_libs = libwm-convert.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
tests_tools_test_convert_SOURCES = tests/tools/test_convert.c tests/tools/conversions.h tests/tools/sample_trace.h tests/check.h
tests_tools_test_convert_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_test_convert_LDADD = $(convert_test_libs)
tests_tools_test_convert_perfetto_SOURCES = tests/tools/test_convert_perfetto.c tests/tools/conversions.h \
	tests/tools/sample_trace.h tests/check.h
tests_tools_test_convert_perfetto_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_test_convert_perfetto_LDADD = $(convert_test_libs)
check_PROGRAMS += tests/tools/test_bench tests/tools/test_rounds tests/tools/test_complete
TESTS += tests/tools/test_bench tests/tools/test_rounds tests/tools/test_complete
tests_tools_test_bench_SOURCES = tests/tools/test_bench.c tests/check.h
tests_tools_test_bench_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_test_bench_LDADD = libwm-bench.la $(JANSSON_LIBS) $(CUNIT_LIBS)
tests_tools_test_rounds_SOURCES = tests/tools/test_rounds.c tests/check.h \
	tools/arrows.c tools/joints.c tools/proof/parts.c tools/rounds.c tools/proof/seats.c tools/units.c
tests_tools_test_rounds_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_test_rounds_LDADD = libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS)

# With wm_map_parents of its own in the place of the map server's client.
tests_tools_test_complete_SOURCES = tests/tools/test_complete.c tests/check.h core/map/complete.c
tests_tools_test_complete_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_test_complete_LDADD = libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS)
endif

# Jobs that are compared and watched.
TESTS += tests/tools/diff.sh tests/tools/top.sh
EXTRA_DIST += tests/tools/diff.sh tests/tools/top.sh
check_PROGRAMS += tests/tools/calls
tests_tools_calls_SOURCES = tests/tools/calls.c
tests_tools_calls_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_tools_calls_LDADD = $(MPI_LIBS)
if HAVE_CUNIT
check_PROGRAMS += tests/tools/test_top
TESTS += tests/tools/test_top
tests_tools_test_top_SOURCES = tests/tools/test_top.c tests/check.h tests/tracer/traces.h \
	tools/top/terminal.c tools/top/watch.c
tests_tools_test_top_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_test_top_LDADD = libwm-report.la libwm-tracer.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lutil -lm
endif
