# waymark tune.
noinst_LTLIBRARIES += libwm-tune.la
libwm_tune_la_SOURCES = \
	tools/tune/field.c tools/tune/field.h \
	tools/tune/kind.c tools/tune/kind.h \
	tools/tune/paths.c tools/tune/paths.h \
	tools/tune/race.c tools/tune/race.h \
	tools/tune/routes.c tools/tune/routes.h \
	tools/tune/state.c tools/tune/state.h

waymark_SOURCES += \
	tools/tune/amend.c tools/tune/amend.h \
	tools/tune/begin.c tools/tune/begin.h \
	tools/tune/command.c \
	tools/tune/launches.c tools/tune/launches.h \
	tools/tune/online.c tools/tune/online.h \
	tools/tune/patch.c tools/tune/patch.h \
	tools/tune/sift.c \
	tools/tune/subranks.c tools/tune/subranks.h \
	tools/tune/traced.c tools/tune/traced.h

pkglibexec_PROGRAMS += waymark-tune
# Conveyors are called by their own names, whatever is preloaded.
waymark_tune_LDADD = libwm-tune.la libwm-gauge.la libwm-predict.la libwm-profile.la libwm-bench.la libwm-clock.la libwm-report.la \
	libwm-map.la libwm-proof.la libwm-pure.la libwaymark.la $(JANSSON_LIBS) $(MPI_LIBS) -ldl -lm
waymark_tune_SOURCES = \
	tools/bench/calls.c tools/bench/data.c tools/bench/terminal.c \
	tools/gauge/carry.c tools/gauge/fence.c \
	tools/gauge/places.c tools/gauge/places.h \
	tools/gauge/start.c tools/gauge/start.h \
	tools/predict/call.c tools/predict/conveyors.c \
	tools/predict/prediction.c \
	tools/run/maps.c \
	tools/site/scene.c tools/site/site.c \
	tools/tune/carry.c tools/tune/carry.h \
	tools/tune/check.c tools/tune/check.h \
	tools/tune/confirm.c \
	tools/tune/heat.c \
	tools/tune/hunt.c tools/tune/hunt.h \
	tools/tune/main.c \
	tools/tune/map.c tools/tune/map.h \
	tools/tune/session.c tools/tune/session.h \
	tools/tune/sift.c tools/tune/sift.h
EXTRA_DIST += tools/tune/README.md
