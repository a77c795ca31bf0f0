# Programs that teach ports, built with everything else; tests/mpi/examples.sh runs them.
ports_examples = examples/ports/farm examples/ports/mandelbrot examples/ports/ring
noinst_PROGRAMS += $(ports_examples)
examples_ports_farm_LDADD = libwaymark.la $(MPI_LIBS)
examples_ports_mandelbrot_LDADD = libwaymark.la $(MPI_LIBS)
examples_ports_ring_LDADD = libwaymark.la $(MPI_LIBS)
