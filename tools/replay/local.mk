# waymark replay.
waymark_SOURCES += \
	tools/replay/answer.c tools/replay/answer.h \
	tools/replay/calls.c tools/replay/calls.h \
	tools/replay/carry.c tools/replay/carry.h \
	tools/replay/command.c \
	tools/replay/factors.c tools/replay/factors.h \
	tools/replay/json.c \
	tools/replay/messages.c tools/replay/messages.h \
	tools/replay/replay.c tools/replay/replay.h \
	tools/replay/report.h \
	tools/replay/shape.c tools/replay/shape.h \
	tools/replay/stage.c tools/replay/stage.h \
	tools/replay/text.c
EXTRA_DIST += tools/replay/README.md
