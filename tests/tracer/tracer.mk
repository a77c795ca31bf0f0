# Tests of the recorder, the reader and the report; no MPI.
if HAVE_CUNIT
tracer_tests = \
	tests/tools/analysis/test_conveyors \
	tests/tools/analysis/test_attribution \
	tests/tracer/test_clocks \
	tests/tools/analysis/test_critical \
	tests/tracer/test_damage \
	tests/tools/analysis/test_delays \
	tests/tools/diff/test_diff \
	tests/tools/analysis/test_identities \
	tests/tracer/test_interval \
	tests/tracer/test_live \
	tests/tools/analysis/test_measures \
	tests/tracer/test_reader \
	tests/tracer/test_recorder \
	tests/tools/report/test_report
check_PROGRAMS += $(tracer_tests)
TESTS += $(tracer_tests)

tests_tracer_test_live_LDADD = $(LDADD) -lpthread

generated_sources = tests/tracer/generated.c tests/tracer/generated.h \
	tests/tracer/generated_files.c tests/tracer/generated_files.h
damage_sources = tests/tracer/fuzz_check.c tests/tracer/fuzz_check.h \
	tests/tracer/fuzz_input.c tests/tracer/fuzz_input.h \
	tests/tracer/fuzz_mutate.c tests/tracer/fuzz_mutate.h
tests_tracer_test_damage_SOURCES = tests/tracer/test_damage.c tests/tracer/traces.h tests/check.h \
	$(generated_sources) $(damage_sources)
endif

# Made-up traces, for tests and measurements.
check_PROGRAMS += tests/tracer/generate
tests_tracer_generate_SOURCES = tests/tracer/generate.c $(generated_sources)

# make fuzz (needs clang): tests/tracer/fuzz_reader and fuzz_corpus, its first inputs; never part of make check.
check_PROGRAMS += tests/tracer/fuzz_seeds
tests_tracer_fuzz_seeds_SOURCES = tests/tracer/fuzz_seeds.c tests/tracer/fuzz_input.c $(generated_sources)
EXTRA_DIST += tests/tracer/fuzz_reader.c tests/tracer/fuzz_reader.dict \
	tests/tracer/damage/calls-of-months tests/tracer/damage/clocks-years-apart \
	tests/tracer/damage/confidence-in-nothing tests/tracer/damage/conveyor \
	tests/tracer/damage/conveyor-sampled-beyond-reason tests/tracer/damage/more-events-than-time \
	tests/tracer/damage/newest-closed-before-it-began
CLEANFILES += tests/tracer/fuzz_reader

FUZZ_CC = clang
# An empty range of an array that is not there, NULL + 0, is nothing that a compiler is hurt by.
FUZZ_FLAGS = -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -fno-sanitize=pointer-overflow
fuzz_parts = tests/tracer/fuzz_reader.c $(damage_sources) \
	$(libwm_report_la_SOURCES) $(libwm_tracer_la_SOURCES) core/error.c core/path/operation.c core/subrank/advice.c

fuzz: tests/tracer/fuzz_seeds$(EXEEXT) $(nodist_libwm_report_la_SOURCES)
	$(FUZZ_CC) $(DEFS) $(AM_CPPFLAGS) $(CPPFLAGS) -std=gnu11 $(JANSSON_CFLAGS) $(FUZZ_FLAGS) \
		-o tests/tracer/fuzz_reader $(addprefix $(top_srcdir)/,$(filter %.c,$(fuzz_parts))) \
		$(nodist_libwm_report_la_SOURCES) $(JANSSON_LIBS) -lm
	tests/tracer/fuzz_seeds fuzz_corpus
	@echo "now: tests/tracer/fuzz_reader fuzz_corpus -dict=$(srcdir)/tests/tracer/fuzz_reader.dict -timeout=10"
