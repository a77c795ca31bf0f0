# Programs that teach conveyors. Built with everything else; tests/mpi/examples.sh runs them.
convey_examples = \
	examples/convey/histogram \
	examples/convey/index_gather \
	examples/convey/index_gather_bi \
	examples/convey/permutation \
	examples/convey/transpose \
	examples/convey/triangles \
	examples/convey/bfs \
	examples/convey/toposort
noinst_PROGRAMS += $(convey_examples)

noinst_LTLIBRARIES += libconvey-examples.la
libconvey_examples_la_SOURCES = \
	examples/convey/dealt.c examples/convey/dealt.h \
	examples/convey/job.c examples/convey/job.h \
	examples/convey/kronecker.c examples/convey/kronecker.h \
	examples/convey/matrix.c examples/convey/matrix.h \
	examples/convey/random.h \
	examples/convey/shuffled.c examples/convey/shuffled.h

convey_example_libs = libconvey-examples.la libwaymark.la $(MPI_LIBS)
examples_convey_histogram_LDADD = $(convey_example_libs)
examples_convey_index_gather_LDADD = $(convey_example_libs)
examples_convey_index_gather_bi_LDADD = $(convey_example_libs)
examples_convey_permutation_LDADD = $(convey_example_libs)
examples_convey_transpose_LDADD = $(convey_example_libs)
examples_convey_triangles_LDADD = $(convey_example_libs)
examples_convey_bfs_LDADD = $(convey_example_libs)
examples_convey_toposort_LDADD = $(convey_example_libs)

# What tests/mpi/examples.sh preloads to see that the examples' checks can fail.
check_LTLIBRARIES += tests/mpi/liblosing.la
tests_mpi_liblosing_la_SOURCES = tests/mpi/losing.c
tests_mpi_liblosing_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
tests_mpi_liblosing_la_LIBADD = -ldl

TESTS += tests/mpi/examples.sh
EXTRA_DIST += examples/convey/README.md tests/mpi/examples.sh
