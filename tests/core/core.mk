# Unit tests of the pure modules: one program a module, under `if HAVE_CUNIT`.
core_tests = \
	tests/core/clock/test_compare \
	tests/core/path/test_clusters \
	tests/core/plan/test_design \
	tests/core/test_error \
	tests/core/path/test_facts \
	tests/core/path/test_grid \
	tests/core/plan/test_hazard \
	tests/core/path/test_layout \
	tests/core/call/test_native \
	tests/core/path/test_order \
	tests/core/path/test_path \
	tests/core/plan/test_plan \
	tests/core/plan/test_plan_shared \
	tests/core/guard/test_judge \
	tests/core/guard/test_mac \
	tests/core/job/test_roll \
	tests/core/plan/test_route \
	tests/core/path/test_shape \
	tests/core/statement/test_agreement \
	tests/core/statement/test_any_text \
	tests/core/statement/test_expressions \
	tests/core/statement/test_traffic \
	tests/core/statement/test_wrong \
	tests/core/test_settings
check_PROGRAMS += $(core_tests)
TESTS += $(core_tests)
tests_core_clock_test_compare_LDADD = libwm-clock.la libwm-tracer.la $(CUNIT_LIBS) -lm -lpthread
tests_core_guard_test_judge_LDADD = libwm-guard.la $(LDADD)
tests_core_guard_test_mac_LDADD = libwm-guard.la $(LDADD)

# Not a pure module: it asks MPI for the sizes of types.
check_PROGRAMS += tests/core/data/test_kernel
TESTS += tests/core/data/test_kernel
tests_core_data_test_kernel_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_core_data_test_kernel_LDADD = libwm-kernel.la $(CUNIT_LIBS) $(MPI_LIBS)

check_PROGRAMS += tests/core/node/test_rest
TESTS += tests/core/node/test_rest
tests_core_node_test_rest_LDADD = libwaymark.la $(CUNIT_LIBS)

check_PROGRAMS += tests/core/shared/test_shared
TESTS += tests/core/shared/test_shared
tests_core_shared_test_shared_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS) -lpthread

check_PROGRAMS += tests/core/shared/test_shared_tree
TESTS += tests/core/shared/test_shared_tree
tests_core_shared_test_shared_tree_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)

# What is inlined of messages; the scripts compile it anew.
check_PROGRAMS += tests/core/message/test_matching tests/core/message/test_message tests/core/message/test_number
TESTS += tests/core/message/test_matching tests/core/message/test_message tests/core/message/test_number \
	tests/core/message/generated.sh tests/core/message/mutants.sh
EXTRA_DIST += tests/core/message/generated.sh tests/core/message/mutants.sh
tests_core_message_test_matching_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)
tests_core_message_test_message_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)
tests_core_message_test_number_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS) -lm

# Coroutines as this processor has them, and by ucontext.
check_PROGRAMS += tests/core/subrank/test_coroutine tests/core/subrank/test_coroutine_ucontext tests/core/subrank/test_schedule
TESTS += tests/core/subrank/test_coroutine tests/core/subrank/test_coroutine_ucontext tests/core/subrank/test_schedule
tests_core_subrank_test_coroutine_SOURCES = tests/core/subrank/test_coroutine.c core/subrank/coroutine.c tests/check.h
tests_core_subrank_test_coroutine_CPPFLAGS = $(AM_CPPFLAGS)
tests_core_subrank_test_coroutine_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS) -lm
tests_core_subrank_test_coroutine_ucontext_SOURCES = $(tests_core_subrank_test_coroutine_SOURCES)
tests_core_subrank_test_coroutine_ucontext_CPPFLAGS = $(tests_core_subrank_test_coroutine_CPPFLAGS) -DWM_COROUTINE_UCONTEXT
tests_core_subrank_test_coroutine_ucontext_LDADD = $(tests_core_subrank_test_coroutine_LDADD)
tests_core_subrank_test_schedule_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)

check_PROGRAMS += tests/core/subrank/test_program
TESTS += tests/core/subrank/test_program tests/core/subrank/host.sh
EXTRA_DIST += tests/core/subrank/host.sh
tests_core_subrank_test_program_CFLAGS = $(AM_CFLAGS) -fPIC
tests_core_subrank_test_program_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)

check_PROGRAMS += tests/core/subrank/test_advice tests/core/subrank/test_built_in
TESTS += tests/core/subrank/test_advice tests/core/subrank/test_built_in
tests_core_subrank_test_built_in_SOURCES = tests/core/subrank/test_built_in.c core/subrank/built_in.c \
	core/subrank/built_in.h tests/core/map/maps.h tests/check.h
tests_core_subrank_test_built_in_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(JANSSON_LIBS) $(MPI_LIBS)

# The second one packs bits as processors without PEXT do.
check_PROGRAMS += tests/core/convey/test_carriers tests/core/convey/test_codec tests/core/test_codec_runs \
	tests/core/convey/test_spread tests/core/convey/test_store
TESTS += tests/core/convey/test_carriers tests/core/convey/test_codec tests/core/test_codec_runs \
	tests/core/convey/test_spread tests/core/convey/test_store
tests_core_convey_test_carriers_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)
tests_core_convey_test_codec_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)
tests_core_convey_test_spread_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)
tests_core_convey_test_store_LDADD = $(runtime_parts) $(CUNIT_LIBS) $(MPI_LIBS)
tests_core_test_codec_runs_SOURCES = tests/core/convey/test_codec.c core/convey/codec_squeeze.c tests/check.h
tests_core_test_codec_runs_CPPFLAGS = $(AM_CPPFLAGS) -DWM_SQUEEZE_BY_RUNS
tests_core_test_codec_runs_LDADD = $(tests_core_convey_test_codec_LDADD)

# Statements at random against an interpreter.
check_PROGRAMS += tests/core/statement/test_random
TESTS += tests/core/statement/test_random
random_statement_sources = tests/core/statement/bind.c tests/core/statement/clauses.c tests/core/statement/expression.c \
	tests/core/statement/functions.c tests/core/statement/functions.h tests/core/statement/generate.c \
	tests/core/statement/generate.h tests/core/statement/memory.c tests/core/statement/message.c \
	tests/core/statement/message.h tests/core/statement/oracle.c tests/core/statement/oracle.h \
	tests/core/statement/print.c tests/core/statement/reductions.c tests/core/statement/requests.c \
	tests/core/statement/scope.c tests/core/statement/scope.h tests/core/statement/store.c \
	tests/core/statement/things.c tests/core/statement/tree.h tests/core/statement/value.c \
	tests/core/statement/value.h tests/fuzz/random.h tests/fuzz/text.c tests/fuzz/text.h
tests_core_statement_test_random_SOURCES = tests/core/statement/test_random.c tests/core/statement/deliver.c \
	tests/core/statement/deliver.h $(random_statement_sources)
