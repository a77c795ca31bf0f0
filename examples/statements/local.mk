# Programs that teach statements, built with everything else; tests/mpi/statements.sh runs them.
noinst_LTLIBRARIES += libstatement-examples.la
libstatement_examples_la_SOURCES = examples/statements/ways.c examples/statements/ways.h
statement_example_libs = libstatement-examples.la libwaymark.la $(MPI_LIBS) -lm
noinst_PROGRAMS += \
	examples/statements/argmin \
	examples/statements/cg \
	examples/statements/jacobi \
	examples/statements/push \
	examples/statements/sample_sort \
	examples/statements/shift \
	examples/statements/transposition
examples_statements_argmin_LDADD = $(statement_example_libs)
examples_statements_cg_LDADD = $(statement_example_libs)
examples_statements_jacobi_LDADD = $(statement_example_libs)
examples_statements_push_LDADD = $(statement_example_libs)
examples_statements_sample_sort_LDADD = $(statement_example_libs)
examples_statements_shift_LDADD = $(statement_example_libs)
examples_statements_transposition_LDADD = $(statement_example_libs)

TESTS += tests/mpi/statements.sh
EXTRA_DIST += examples/statements/README.md examples/statements/lines.sh tests/mpi/statements.sh
