# Every wrapper, shape and operation under the symbolic executor, under `if HAVE_CUNIT`; after tests/core/core.mk.
check_PROGRAMS += tests/wrappers/test_conformance
TESTS += tests/wrappers/test_conformance

tests_wrappers_test_conformance_SOURCES = tests/wrappers/test_conformance.c tests/check.h
tests_wrappers_test_conformance_CPPFLAGS = $(pure_test_cppflags)
tests_wrappers_test_conformance_LDADD = libwm-proof.la $(pure_test_libs)

# The proof itself, on spoiled plans.
check_PROGRAMS += tests/tools/proof/test_check_proof
TESTS += tests/tools/proof/test_check_proof
tests_tools_proof_test_check_proof_SOURCES = tests/tools/proof/test_check_proof.c tests/check.h tests/fixture.h
tests_tools_proof_test_check_proof_CPPFLAGS = $(pure_test_cppflags)
tests_tools_proof_test_check_proof_LDADD = libwm-proof.la $(pure_test_libs)
check_PROGRAMS += tests/tools/proof/test_shared_proof
TESTS += tests/tools/proof/test_shared_proof
tests_tools_proof_test_shared_proof_SOURCES = tests/tools/proof/test_shared_proof.c tests/check.h tests/fixture.h
tests_tools_proof_test_shared_proof_CPPFLAGS = $(pure_test_cppflags)
tests_tools_proof_test_shared_proof_LDADD = libwm-proof.la $(pure_test_libs)
check_PROGRAMS += tests/tools/proof/test_symmetry
TESTS += tests/tools/proof/test_symmetry
tests_tools_proof_test_symmetry_SOURCES = tests/tools/proof/test_symmetry.c tests/check.h tests/fixture.h \
	tests/tools/proof/symmetric_paths.h
tests_tools_proof_test_symmetry_CPPFLAGS = $(pure_test_cppflags)
tests_tools_proof_test_symmetry_LDADD = libwm-proof.la $(pure_test_libs)
TESTS += tests/tools/check/check.sh
EXTRA_DIST += tests/tools/check/check.sh

# The proof of conveyors' routes, on spoiled ones.
check_PROGRAMS += tests/tools/routes/test_convey_proof
TESTS += tests/tools/routes/test_convey_proof
tests_tools_routes_test_convey_proof_SOURCES = tests/tools/routes/test_convey_proof.c tests/check.h tests/fixture.h
tests_tools_routes_test_convey_proof_CPPFLAGS = $(pure_test_cppflags)
tests_tools_routes_test_convey_proof_LDADD = libwm-proof.la $(pure_test_libs)
