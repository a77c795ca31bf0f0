# What to change.
libwm_report_la_SOURCES += \
	tools/findings/conveyor_advice.c tools/findings/conveyor_advice.h \
	tools/findings/blame.c \
	tools/findings/call.c \
	tools/findings/eager.c \
	tools/findings/end.c \
	tools/findings/far.c \
	tools/findings/finding.c tools/findings/finding.h \
	tools/findings/findings.c tools/findings/findings.h \
	tools/findings/late.c \
	tools/findings/map_text.c tools/findings/map_text.h \
	tools/findings/places.c \
	tools/findings/protocol_advice.c tools/findings/protocol_advice.h \
	tools/findings/stage.c
EXTRA_DIST += tools/findings/README.md
