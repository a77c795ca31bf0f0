# waymark bench.
libwm_bench_la_SOURCES += \
	tools/bench/operation.c tools/bench/operation.h \
	tools/bench/plot.c \
	tools/bench/result.c tools/bench/result.h \
	tools/bench/settings.c tools/bench/settings.h \
	tools/bench/show.h \
	tools/bench/summary.c \
	tools/bench/text.c \
	tools/bench/write.c

waymark_SOURCES += \
	tools/bench/command.c

waymark_bench_SOURCES += \
	tools/bench/calls.c tools/bench/calls.h \
	tools/bench/data.c \
	tools/bench/flags.c tools/bench/flags.h \
	tools/bench/main.c \
	tools/bench/measure.c tools/bench/measure.h \
	tools/bench/module.c tools/bench/module.h \
	tools/bench/progress.c tools/bench/progress.h \
	tools/bench/terminal.c tools/bench/terminal.h
EXTRA_DIST += tools/bench/README.md
