# Every wrapper, shape and operation under the symbolic executor, under `if HAVE_CUNIT`; after tests/core/core.mk.
check_PROGRAMS += tests/wrappers/test_conformance
TESTS += tests/wrappers/test_conformance

tests_wrappers_test_conformance_SOURCES = tests/wrappers/test_conformance.c tests/check.h \
	tests/prove.c tests/prove.h \
	tests/dag.c tests/dag.h \
	tests/symbolic.c tests/symbolic.h
tests_wrappers_test_conformance_CPPFLAGS = $(pure_test_cppflags)
tests_wrappers_test_conformance_LDADD = $(pure_test_libs)
