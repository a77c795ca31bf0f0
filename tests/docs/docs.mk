# What the manual says that the program can prove.
TESTS += tests/docs/algorithms.sh
EXTRA_DIST += tests/docs/algorithms.sh tests/docs/paths.awk
