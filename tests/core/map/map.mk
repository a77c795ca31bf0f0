# Tests of the map: its language, its server, and every kind of bad map. Included by tests/local.mk under HAVE_CUNIT.
map_tests = tests/core/map/test_explain tests/core/map/test_invalid_maps tests/core/map/test_map tests/core/map/test_map_client \
	tests/core/map/test_map_server tests/core/map/test_sandbox
check_PROGRAMS += $(map_tests)
TESTS += $(map_tests)

map_test_libs = libwm-map.la libwm-pure.la $(CUNIT_LIBS) $(JANSSON_LIBS)

tests_core_map_test_explain_LDADD = $(map_test_libs)
tests_core_map_test_invalid_maps_LDADD = $(map_test_libs)
tests_core_map_test_map_LDADD = $(map_test_libs)
tests_core_map_test_map_client_LDADD = $(map_test_libs) -lpthread
tests_core_map_test_map_server_LDADD = $(map_test_libs)
tests_core_map_test_sandbox_SOURCES = tests/core/map/test_sandbox.c core/map/sandbox.c core/map/sandbox.h tests/check.h
tests_core_map_test_sandbox_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
tests_core_map_test_sandbox_LDADD = libwm-pure.la $(CUNIT_LIBS) $(JANSSON_LIBS) $(SECCOMP_LIBS)

EXTRA_DIST += tests/specs/invalid
