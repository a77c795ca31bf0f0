# Clocks compared by messages: for the runtime and the tools, which both have the tracer's clock.
noinst_LTLIBRARIES += libwm-clock.la
libwm_clock_la_SOURCES = \
	core/clock/compare.c core/clock/compare.h \
	core/clock/over_mpi.c core/clock/over_mpi.h
EXTRA_DIST += core/clock/README.md
