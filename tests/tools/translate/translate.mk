# waymark translate.
MPI_TESTS += tests/tools/translate/jacobi.sh
TESTS += tests/tools/translate/translate.sh
EXTRA_DIST += tests/tools/translate/jacobi.c tests/tools/translate/jacobi.sh tests/tools/translate/refused \
	tests/tools/translate/rewritten tests/tools/translate/translate.sh
