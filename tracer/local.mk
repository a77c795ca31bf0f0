# The recorder (in the preloaded library) and the reader (in the tools): one convenience library, no MPI.
noinst_LTLIBRARIES += libwm-tracer.la
libwm_tracer_la_SOURCES = \
	tracer/align.c \
	tracer/clock.c tracer/clock.h \
	tracer/conveyors.c tracer/conveyors.h \
	tracer/curve.c tracer/curve.h \
	tracer/definitions.c \
	tracer/earlier.c \
	tracer/file.h \
	tracer/guard.c tracer/guard.h \
	tracer/interval.c tracer/interval.h \
	tracer/join.c tracer/join.h \
	tracer/kinds.c \
	tracer/live.c tracer/live.h \
	tracer/live_life.c tracer/live_state.c \
	tracer/rank_file.c tracer/rank_file.h \
	tracer/reader.c tracer/reader.h \
	tracer/record.inc.h \
	tracer/recorder.c tracer/tracer.h \
	tracer/statements.c tracer/statements.h \
	tracer/syncs.c tracer/syncs.h
libwm_tracer_la_LIBADD = $(JANSSON_LIBS) -lm

EXTRA_DIST += tracer/FORMAT.md
EXTRA_DIST += tracer/README.md
