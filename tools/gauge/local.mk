# waymark profile.
noinst_LTLIBRARIES += libwm-gauge.la
libwm_gauge_la_SOURCES = \
	tools/gauge/bounds.c tools/gauge/bounds.h \
	tools/gauge/build.c tools/gauge/build.h \
	tools/gauge/conveyors.c tools/gauge/conveyors.h \
	tools/gauge/estimate.c tools/gauge/estimate.h \
	tools/gauge/fit.c tools/gauge/fit.h \
	tools/gauge/messages.c tools/gauge/messages.h \
	tools/gauge/probes.c tools/gauge/probes.h \
	tools/gauge/rounds.c tools/gauge/rounds.h \
	tools/gauge/rows.c tools/gauge/rows.h

waymark_SOURCES += \
	tools/gauge/check.c tools/gauge/check.h \
	tools/gauge/command.c \
	tools/gauge/selftest.c tools/gauge/selftest.h

pkglibexec_PROGRAMS += waymark-gauge
# Conveyors are called by their own names, whatever is preloaded.
waymark_gauge_LDADD = libwm-gauge.la libwm-profile.la libwm-bench.la libwm-clock.la libwm-report.la libwaymark.la $(JANSSON_LIBS) $(MPI_LIBS) -ldl -lm
waymark_gauge_SOURCES = \
	tools/bench/calls.c tools/bench/data.c tools/bench/terminal.c \
	tools/gauge/carry.c tools/gauge/carry.h \
	tools/gauge/eager.c \
	tools/gauge/fence.c tools/gauge/fence.h \
	tools/gauge/main.c \
	tools/gauge/places.c tools/gauge/places.h \
	tools/gauge/session.c tools/gauge/session.h \
	tools/gauge/start.c tools/gauge/start.h
EXTRA_DIST += tools/gauge/README.md
