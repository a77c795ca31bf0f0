# The program waymark: its command line, and what it shows.
MPI_TESTS += tests/tools/bench/bench.sh tests/tools/tune/tune.sh
TESTS += tests/tools/cc/cc.sh tests/tools/complete/complete.sh tests/tools/init/init.sh tests/tools/convert/convert.sh tests/tools/draw/explain.sh tests/tools/cli/help.sh tests/tools/run/run.sh tests/tools/draw/show.sh tests/tools/draw/wrappers.sh tests/tools/predict/open_mpi.sh tests/tools/predict/fast.sh tests/tools/predict/predict.sh tests/tools/statement/statement.sh tests/tools/replay/replay.sh
EXTRA_DIST += tests/tools/tune/tune.sh tests/tools/cc/cc.sh tests/tools/complete/complete.sh tests/tools/init/init.sh tests/tools/convert/convert.sh tests/tools/bench/bench.sh tests/tools/bench/modules.json tests/tools/bench/result.json tests/tools/draw/explain.sh tests/tools/cli/help.sh tests/tools/run/run.sh tests/tools/draw/show.sh tests/tools/draw/wrappers.sh tests/tools/predict/open_mpi.sh tests/tools/predict/fast.sh tests/tools/predict/predict.sh tests/tools/predict/call.txt tests/tools/replay/replay.sh tests/tools/statement/statement.sh tests/tools/expect.sh \
	tests/tools/draw/explain/map.scm tests/tools/draw/explain/alone.txt tests/tools/draw/explain/dealt.txt \
	tests/tools/draw/explain/first.txt tests/tools/draw/explain/native.txt tests/tools/draw/explain/none.txt \
	tests/tools/draw/explain/second.txt tests/tools/draw/explain/unknown.txt \
	tests/tools/draw/show/map.scm tests/tools/draw/show/allreduce.txt tests/tools/draw/show/alltoallv.txt \
	tests/tools/draw/show/conveyor.txt tests/tools/draw/show/conveyor-bulk.txt tests/tools/draw/show/conveyor-rank.txt tests/tools/draw/show/gather.txt \
	tests/tools/draw/show/neighbor.txt tests/tools/draw/show/rank.txt tests/tools/draw/show/reduce-scatter.txt tests/tools/draw/show/reduce.txt \
	tests/tools/draw/show/scatterv-rank.txt tests/tools/draw/show/shared.txt tests/tools/draw/show/shared-rank.txt

# tests/tools/convert/convert.sh converts what this one writes.
check_PROGRAMS += tests/tools/convert/sample_trace

if HAVE_CUNIT
check_PROGRAMS += tests/tools/convert/test_convert tests/tools/convert/test_convert_perfetto
TESTS += tests/tools/convert/test_convert tests/tools/convert/test_convert_perfetto
convert_test_libs = libwm-convert.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
tests_tools_convert_test_convert_LDADD = $(convert_test_libs)
tests_tools_convert_test_convert_perfetto_LDADD = $(convert_test_libs)
check_PROGRAMS += tests/core/test_parse tests/tools/bench/test_bench tests/tools/proof/test_rounds tests/core/map/test_complete
TESTS += tests/core/test_parse tests/tools/bench/test_bench tests/tools/proof/test_rounds tests/core/map/test_complete
tests_tools_bench_test_bench_LDADD = libwm-bench.la $(JANSSON_LIBS) $(CUNIT_LIBS)
tests_tools_proof_test_rounds_SOURCES = tests/tools/proof/test_rounds.c tests/check.h \
	tools/draw/arrows.c tools/draw/shared_steps.c
check_PROGRAMS += tests/tools/proof/test_allowance
TESTS += tests/tools/proof/test_allowance
tests_tools_proof_test_allowance_LDADD = libwm-proof.la libwm-pure.la $(CUNIT_LIBS)
check_PROGRAMS += tests/tools/predict/test_simulation
TESTS += tests/tools/predict/test_simulation
tests_tools_predict_test_simulation_LDADD = libwm-predict.la libwm-profile.la libwm-proof.la libwm-report.la libwm-pure.la \
	$(JANSSON_LIBS) $(CUNIT_LIBS)
check_PROGRAMS += tests/tools/predict/test_conveyor
TESTS += tests/tools/predict/test_conveyor
tests_tools_predict_test_conveyor_LDADD = $(tests_tools_predict_test_simulation_LDADD)
check_PROGRAMS += tests/tools/predict/test_quotient
TESTS += tests/tools/predict/test_quotient
tests_tools_predict_test_quotient_LDADD = $(tests_tools_predict_test_simulation_LDADD)
check_PROGRAMS += tests/tools/gauge/test_gauge
TESTS += tests/tools/gauge/test_gauge
tests_tools_gauge_test_gauge_LDADD = libwm-gauge.la libwm-profile.la libwm-report.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
check_PROGRAMS += tests/tools/tune/test_tune
TESTS += tests/tools/tune/test_tune
tests_tools_tune_test_tune_LDADD = libwm-tune.la libwm-proof.la libwm-report.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
check_PROGRAMS += tests/tools/retune/test_verdict
TESTS += tests/tools/retune/test_verdict
tests_tools_retune_test_verdict_SOURCES = tests/tools/retune/test_verdict.c tests/check.h tools/retune/verdict.c
tests_tools_retune_test_verdict_LDADD = libwm-guard.la $(LDADD)
check_PROGRAMS += tests/tools/profile/test_machine
TESTS += tests/tools/profile/test_machine
tests_tools_profile_test_machine_LDADD = libwm-profile.la libwm-report.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS)

# With wm_map_parents of its own in the place of the map server's client.
tests_core_map_test_complete_SOURCES = tests/core/map/test_complete.c tests/check.h core/map/complete.c
tests_core_map_test_complete_CPPFLAGS = $(AM_CPPFLAGS)
endif

# Jobs that are compared and watched.
MPI_TESTS += tests/tools/diff/diff.sh
TESTS += tests/tools/top/top.sh
EXTRA_DIST += tests/tools/diff/diff.sh tests/tools/top/top.sh
check_PROGRAMS += tests/tools/calls
tests_tools_calls_LDADD = $(MPI_LIBS)
if HAVE_CUNIT
check_PROGRAMS += tests/tools/top/test_top
TESTS += tests/tools/top/test_top
tests_tools_top_test_top_SOURCES = tests/tools/top/test_top.c tests/check.h tests/tracer/traces.h \
	tools/top/tty.c tools/top/watch.c
tests_tools_top_test_top_LDADD = libwm-report.la libwm-tracer.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lutil -lm
check_PROGRAMS += tests/tools/doctor/test_tree
TESTS += tests/tools/doctor/test_tree
tests_tools_doctor_test_tree_SOURCES = tests/tools/doctor/test_tree.c tests/check.h $(talk_sources)
tests_tools_doctor_test_tree_LDADD = libwm-guard.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
check_PROGRAMS += tests/tools/doctor/test_waits
TESTS += tests/tools/doctor/test_waits
tests_tools_doctor_test_waits_SOURCES = tests/tools/doctor/test_waits.c tests/check.h tools/doctor/patient.c tools/doctor/process.c \
	tools/doctor/site.c tools/doctor/waits.c tools/doctor/where.c tools/doctor/words.c
tests_tools_doctor_test_waits_LDADD = libwm-guard.la libwm-report.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
endif
