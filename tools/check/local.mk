# waymark check.
waymark_SOURCES += \
	tools/check/at_once.c \
	tools/check/check.c tools/check/check.h \
	tools/check/conveyor.c \
	tools/check/shrink.c \
	tools/check/sweep.c \
	tools/check/table.c tools/check/table.h
EXTRA_DIST += tools/check/README.md
