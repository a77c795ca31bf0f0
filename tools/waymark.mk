# The program waymark: its subcommands but the report's analysis, which libwm-report holds.
bin_PROGRAMS += waymark
waymark_SOURCES = \
	tools/arguments.c tools/command.h tools/commands.h \
	tools/arrows.c tools/arrows.h \
	tools/diff/command.c \
	tools/dot.c tools/dot_conveyor.c \
	tools/drawing.c tools/drawing.h \
	tools/drawing_conveyor.c \
	tools/drawing_rank.c \
	tools/drawing_rounds.c \
	tools/bench_command.c \
	tools/convert_command.c \
	tools/environment.c tools/environment.h \
	tools/explain.c \
	tools/help.c \
	tools/joints.c tools/joints.h \
	tools/launcher.c tools/launcher.h \
	tools/main.c \
	tools/manual.c \
	tools/maps.c tools/maps.h \
	tools/preload.c tools/preload.h \
	tools/report_command.c \
	tools/question.c tools/question.h \
	tools/rounds.c tools/rounds.h \
	tools/run.c \
	tools/scene.c tools/scene.h \
	tools/show.c \
	tools/stale.c tools/stale.h \
	tools/top/command.c \
	tools/top/terminal.c tools/top/terminal.h \
	tools/top/watch.c tools/top/watch.h \
	tools/wrappers.c
waymark_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
waymark_LDADD = libwm-bench.la libwm-convert.la libwm-report.la libwm-map.la libwm-pure.la
