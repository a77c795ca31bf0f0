# Programs that subranks speed up, built with everything else, so that they can be loaded as subranks.
subrank_examples = \
	examples/subranks/cannon \
	examples/subranks/cg \
	examples/subranks/jacobi \
	examples/subranks/multigrid \
	examples/subranks/unstructured
noinst_PROGRAMS += $(subrank_examples)
# What waymark cc adds, and that expressions are rounded alike wherever they are inlined.
subrank_example_cflags = $(AM_CFLAGS) -fvisibility=default -fPIC -ffp-contract=off
subrank_example_ldflags = $(AM_LDFLAGS) -pie -export-dynamic
subrank_example_sources = examples/subranks/application.c examples/subranks/application.h examples/subranks/exact.h
examples_subranks_cannon_SOURCES = examples/subranks/cannon.c $(subrank_example_sources)
examples_subranks_cannon_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS)
examples_subranks_cannon_CFLAGS = $(subrank_example_cflags)
examples_subranks_cannon_LDFLAGS = $(subrank_example_ldflags)
examples_subranks_cannon_LDADD = $(MPI_LIBS) $(OPENBLAS_LIBS)
examples_subranks_cg_SOURCES = examples/subranks/cg.c $(subrank_example_sources)
examples_subranks_cg_CFLAGS = $(subrank_example_cflags)
examples_subranks_cg_LDFLAGS = $(subrank_example_ldflags)
examples_subranks_cg_LDADD = $(MPI_LIBS)
examples_subranks_jacobi_SOURCES = examples/subranks/jacobi.c $(subrank_example_sources)
examples_subranks_jacobi_CFLAGS = $(subrank_example_cflags)
examples_subranks_jacobi_LDFLAGS = $(subrank_example_ldflags)
examples_subranks_jacobi_LDADD = $(MPI_LIBS)
examples_subranks_multigrid_SOURCES = examples/subranks/multigrid.c $(subrank_example_sources)
examples_subranks_multigrid_CFLAGS = $(subrank_example_cflags)
examples_subranks_multigrid_LDFLAGS = $(subrank_example_ldflags)
examples_subranks_multigrid_LDADD = $(MPI_LIBS)
examples_subranks_unstructured_SOURCES = examples/subranks/unstructured.c examples/subranks/mesh.c \
	examples/subranks/mesh.h $(subrank_example_sources)
examples_subranks_unstructured_CFLAGS = $(subrank_example_cflags)
examples_subranks_unstructured_LDFLAGS = $(subrank_example_ldflags)
examples_subranks_unstructured_LDADD = $(MPI_LIBS) -lm

examples/subranks/heat: examples/subranks/heat.f90 include/waymark/superblock.f90
	$(AM_V_GEN)$(MKDIR_P) $@.modules && $(MPIFORT) -O2 -std=f2018 -ffp-contract=off -fPIC -pie -rdynamic -J $@.modules \
		-I$(srcdir)/include -o $@ $(srcdir)/examples/subranks/heat.f90
CLEANFILES += examples/subranks/heat
clean-local: clean-heat
clean-heat:
	rm -rf examples/subranks/heat.modules
if HAVE_MPIFORT
noinst_SCRIPTS = examples/subranks/heat
endif

TESTS += tests/mpi/subrank_examples.sh
EXTRA_DIST += examples/subranks/README.md examples/subranks/heat.f90 tests/mpi/subrank_examples.sh
