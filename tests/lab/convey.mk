# Conveyors on several hosts.
TESTS += tests/lab/convey.sh
EXTRA_DIST += tests/lab/convey.sh tests/lab/convey-hops.scm tests/lab/convey-together.scm
