# What the manual says that the program can prove.
TESTS += tests/docs/algorithms.sh tests/docs/readme.sh
EXTRA_DIST += tests/docs/algorithms.sh tests/docs/readme.sh tests/docs/paths.awk
# And what it says that a program can do.
MPI_TESTS += tests/docs/conveyors.sh
MPI_TESTS += tests/docs/communicate.sh tests/docs/ports.sh
EXTRA_DIST += tests/docs/communicate.sh tests/docs/ports.sh tests/docs/conveyors.sh tests/docs/conveyors.awk tests/docs/conveyors.c
# And what statements do.
check_PROGRAMS += tests/docs/statements
TESTS += tests/docs/statements
# And every key of the JSON report.
TESTS += tests/docs/report.sh
EXTRA_DIST += tests/docs/report.sh
# And the map language. What is printed from the sources of the Scheme side, is printed by Guile.
AM_TESTS_ENVIRONMENT += GUILE=$(GUILE); export GUILE;
TESTS += tests/docs/maps.sh tests/docs/pages.sh
EXTRA_DIST += tests/docs/maps.sh tests/docs/maps.awk tests/docs/pages.sh
