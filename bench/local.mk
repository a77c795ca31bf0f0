# Benchmarks are built by `make bench` and run by bench/run; no test times anything.
EXTRA_PROGRAMS = bench/call_cost bench/trace_cost
bench_call_cost_SOURCES = bench/call_cost.c
bench_call_cost_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
bench_call_cost_LDADD = $(MPI_LIBS)
bench_trace_cost_SOURCES = bench/trace_cost.c
bench_trace_cost_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
bench_trace_cost_LDADD = libwm-tracer.la libwm-pure.la $(JANSSON_LIBS)

.PHONY: bench
bench: all $(EXTRA_PROGRAMS)
	$(top_builddir)/pre-inst-env $(srcdir)/bench/run

EXTRA_DIST += bench/run
CLEANFILES += $(EXTRA_PROGRAMS)
