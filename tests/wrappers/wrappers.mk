# Every wrapper, shape and operation under the symbolic executor, under `if HAVE_CUNIT`; after tests/core/core.mk.
check_PROGRAMS += tests/wrappers/test_conformance
TESTS += tests/wrappers/test_conformance

# The proof itself, on spoiled plans.
check_PROGRAMS += tests/tools/proof/test_check_proof
TESTS += tests/tools/proof/test_check_proof
check_PROGRAMS += tests/tools/proof/test_shared_proof
TESTS += tests/tools/proof/test_shared_proof
check_PROGRAMS += tests/tools/proof/test_symmetry
TESTS += tests/tools/proof/test_symmetry
TESTS += tests/tools/check/check.sh
EXTRA_DIST += tests/tools/check/check.sh

# The proof of conveyors' routes, on spoiled ones.
check_PROGRAMS += tests/tools/routes/test_convey_proof
TESTS += tests/tools/routes/test_convey_proof
