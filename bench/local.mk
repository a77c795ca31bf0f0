# Benchmarks are built by `make bench` and run by bench/run; no test times anything.
EXTRA_PROGRAMS = bench/call_cost bench/communicators bench/convey bench/guard_calls bench/guard_cost bench/guard_judge bench/late bench/message bench/net_latency bench/port bench/recording_calls bench/replay_calls bench/statement bench/subrank bench/trace_cost bench/wan_calls bench/wire
bench_call_cost_LDADD = $(MPI_LIBS)
bench_communicators_LDADD = $(MPI_LIBS)
bench_convey_SOURCES = bench/convey.c \
	bench/conveyors/accumulate.c \
	bench/conveyors/bulk.c \
	bench/conveyors/contender.h \
	bench/conveyors/conveyor.c bench/conveyors/conveyor.h \
	bench/conveyors/elastic.c \
	bench/conveyors/figures.c bench/conveyors/figures.h \
	bench/conveyors/histogram.c \
	bench/conveyors/lives.c bench/conveyors/lives.h \
	bench/conveyors/measure.c bench/conveyors/measure.h \
	bench/conveyors/push_pull.c \
	bench/conveyors/queries.c \
	bench/conveyors/ring.c \
	bench/conveyors/settings.c bench/conveyors/settings.h \
	bench/conveyors/targets.c bench/conveyors/targets.h
bench_convey_LDADD = libwaymark.la $(JANSSON_LIBS) $(MPI_LIBS) -lm
bench_guard_calls_LDADD = $(MPI_LIBS)
bench_guard_cost_LDADD = libwm-guard.la libwm-pure.la
bench_guard_judge_LDADD = libwm-guard.la libwm-pure.la
bench_late_LDADD = $(MPI_LIBS)
bench_message_LDADD = libwm-runtime.la $(MPI_LIBS)
bench_net_latency_LDADD = libwm-runtime.la $(MPI_LIBS)
bench_port_LDADD = libwaymark.la $(MPI_LIBS)
bench_recording_calls_LDADD = $(MPI_LIBS)
bench_replay_calls_LDADD = $(MPI_LIBS)
bench_statement_LDADD = libwaymark.la $(MPI_LIBS)
bench_subrank_LDADD = libwm-runtime.la $(MPI_LIBS)
bench_trace_cost_LDADD = libwm-tracer.la libwm-pure.la $(JANSSON_LIBS)
bench_wan_calls_LDADD = $(MPI_LIBS)
bench_wire_LDADD = libwm-runtime.la $(MPI_LIBS)

.PHONY: bench bench-convey bench-guard bench-hidden bench-late bench-message bench-node bench-port bench-predict bench-recording bench-replay bench-statement bench-subrank bench-wan
bench: all $(EXTRA_PROGRAMS)
	$(top_builddir)/pre-inst-env $(srcdir)/bench/run

# Conveyors beside the MPI library, at 2, 4 and 8 ranks; needs some minutes. CONVEY_OPTIONS: bench/convey's.
bench-convey: all bench/convey
	$(top_builddir)/pre-inst-env $(srcdir)/bench/convey.sh $(CONVEY_OPTIONS)

# What subranks hide of a delay, beside overlap by hand; needs many minutes. HIDDEN_OPTIONS: bench/hidden.sh's.
bench-hidden: all
	$(top_builddir)/pre-inst-env $(srcdir)/bench/hidden.sh $(HIDDEN_OPTIONS)

# With one rank made late; needs some minutes. LATE_OPTIONS: bench/late.sh's.
bench-late: all bench/late
	$(top_builddir)/pre-inst-env $(srcdir)/bench/late.sh $(LATE_OPTIONS)

# What matching a message costs, by depth; and a message between two ranks, beside the MPI library, on a node and by MPI.
bench-message: bench/message bench/wire
	$(top_builddir)/pre-inst-env bench/message
	$(top_builddir)/pre-inst-env mpirun -n 2 bench/wire
	$(top_builddir)/pre-inst-env mpirun -n 2 bench/wire 2

# On one node, against the MPI library's own modules; needs Python 3, idle cores and some minutes. NODE_OPTIONS: bench/node's.
bench-node: all
	$(top_builddir)/pre-inst-env $(srcdir)/bench/node $(NODE_OPTIONS)

# Ports: a token, farms, a choice, on 8 ranks.
bench-port: all bench/port
	$(top_builddir)/pre-inst-env mpirun --oversubscribe -n 8 bench/port

# How far predictions are off on this machine. PREDICT_OPTIONS: bench/predict.sh's.
bench-predict: all
	$(top_builddir)/pre-inst-env $(srcdir)/bench/predict.sh $(PREDICT_OPTIONS)

# Statements beside MPI by hand, natively and under a map.
bench-statement: all bench/statement
	for ranks in 2 4 8; do \
	$(top_builddir)/pre-inst-env mpirun --oversubscribe -n $$ranks bench/statement && \
	$(top_builddir)/pre-inst-env mpirun --oversubscribe -n $$ranks waymark run -m fast -- bench/statement || exit 1; done

# Switches between subranks, and copies of a program; messages and sums of siblings, of a process and of two, beside plain
# ranks; an application by workers, beside processes; unequal work, stolen and not.
bench-subrank: all bench/subrank
	$(top_builddir)/pre-inst-env waymark cc -O2 -o bench/subrank_calls $(srcdir)/bench/subrank_calls.c
	$(top_builddir)/pre-inst-env bench/subrank bench/subrank_calls
	$(top_builddir)/pre-inst-env mpirun -n 1 waymark run --subranks 2 -- bench/subrank_calls
	$(top_builddir)/pre-inst-env mpirun -n 1 waymark run --subranks 4 -- bench/subrank_calls
	$(top_builddir)/pre-inst-env mpirun --bind-to none -n 1 waymark run --subranks 2 --workers 2 -- bench/subrank_calls
	$(top_builddir)/pre-inst-env mpirun -n 2 waymark run --subranks 4 -- bench/subrank_calls
	$(top_builddir)/pre-inst-env mpirun -n 2 waymark run --subranks 1 -- bench/subrank_calls
	mpirun -n 2 bench/subrank_calls
	$(top_builddir)/pre-inst-env mpirun --bind-to none -n 1 waymark run --subranks 4 --workers 2 -- examples/subranks/jacobi original 128 50
	$(top_builddir)/pre-inst-env mpirun -n 2 waymark run --subranks 2 -- examples/subranks/jacobi original 128 50
	$(top_builddir)/pre-inst-env waymark cc -O2 -I$(srcdir) -o bench/subrank_uneven $(srcdir)/bench/subrank_uneven.c
	$(top_builddir)/pre-inst-env mpirun --bind-to none -n 1 waymark run --subranks 8 --workers 2 -- bench/subrank_uneven
	$(top_builddir)/pre-inst-env mpirun --bind-to none -n 1 waymark run --subranks 8 --workers 2 --steal -- bench/subrank_uneven

# With and without recording: an event, a call, Debian's hpcc; needs some minutes. RECORDING_OPTIONS: bench/recording's.
bench-recording: all bench/recording_calls bench/trace_cost
	$(top_builddir)/pre-inst-env $(srcdir)/bench/recording $(RECORDING_OPTIONS)

# What the guard costs: its page, a call, its process. GUARD_OPTIONS: bench/guard's.
bench-guard: all bench/guard_calls bench/guard_cost bench/guard_judge
	$(top_builddir)/pre-inst-env $(srcdir)/bench/guard $(GUARD_OPTIONS)

# Between two clusters, in the lab; needs root and some minutes. WAN_OPTIONS: bench/wan's.
bench-wan: all bench/wan_calls tests/lab/wanlink
	top_builddir=$(abs_top_builddir) $(top_builddir)/pre-inst-env $(srcdir)/bench/wan $(WAN_OPTIONS)

EXTRA_DIST += bench/sample.h bench/convey.sh bench/guard bench/hidden.sh bench/late.sh bench/predict.sh bench/node bench/recording bench/replay bench/replay-now.scm bench/replay-then.scm bench/run bench/wan bench/wan.scm bench/subrank_calls.c bench/subrank_uneven.c
CLEANFILES += $(EXTRA_PROGRAMS) bench/subrank_calls bench/subrank_uneven
