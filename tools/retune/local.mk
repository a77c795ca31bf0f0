# waymark retune.
waymark_SOURCES += \
	tools/retune/command.c \
	tools/retune/job.c tools/retune/job.h \
	tools/retune/trial.c tools/retune/trial.h \
	tools/retune/verdict.c tools/retune/verdict.h
EXTRA_DIST += tools/retune/README.md
