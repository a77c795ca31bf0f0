# waymark check and the proof that it and the tests make. Included behind tools/waymark.mk.
noinst_LTLIBRARIES += libwm-proof.la
libwm_proof_la_SOURCES = \
	tools/convey/cycles.c tools/convey/cycles.h \
	tools/convey/network.c tools/convey/network.h \
	tools/convey/prove.c tools/convey/prove.h \
	tools/convey/survey.c tools/convey/survey.h \
	tools/proof/arena.c tools/proof/arena.h \
	tools/proof/content.c \
	tools/proof/dag.c tools/proof/dag.h \
	tools/proof/gatherings.c \
	tools/proof/machine.c tools/proof/machine.h \
	tools/proof/meeting.c \
	tools/proof/messages.c \
	tools/proof/parts.c tools/proof/parts.h \
	tools/proof/prove.c tools/proof/prove.h \
	tools/proof/scenario.c tools/proof/scenario.h \
	tools/proof/seats.c tools/proof/seats.h \
	tools/proof/symbolic.c tools/proof/symbolic.h \
	tools/proof/topology.c tools/proof/topology.h \
	tools/proof/verdict.c
libwm_proof_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

waymark_SOURCES += \
	tools/check.c tools/check.h \
	tools/check_conveyor.c \
	tools/check_shrink.c \
	tools/check_site.c \
	tools/check_sweep.c \
	tools/check_table.c tools/check_table.h
waymark_LDADD += libwm-proof.la libwm-pure.la
