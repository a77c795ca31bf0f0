# waymark retune.
waymark_SOURCES += \
	tools/retune/command.c \
	tools/retune/job.c tools/retune/job.h
EXTRA_DIST += tools/retune/README.md
