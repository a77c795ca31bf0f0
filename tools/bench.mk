# waymark bench: what the command and the program that measures share, and that program, which is linked with MPI alone.
noinst_LTLIBRARIES += libwm-bench.la
libwm_bench_la_SOURCES = \
	tools/bench/operation.c tools/bench/operation.h \
	tools/bench/plot.c \
	tools/bench/result.c tools/bench/result.h \
	tools/bench/settings.c tools/bench/settings.h \
	tools/bench/show.h \
	tools/bench/sizes.c tools/bench/sizes.h \
	tools/bench/summary.c \
	tools/bench/text.c \
	tools/bench/write.c
libwm_bench_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libwm_bench_la_LIBADD = libwm-report.la libwm-pure.la $(JANSSON_LIBS) -lm

pkglibexec_PROGRAMS += waymark-bench
waymark_bench_SOURCES = \
	tools/bench/calls.c tools/bench/calls.h \
	tools/bench/data.c \
	tools/bench/main.c \
	tools/bench/measure.c tools/bench/measure.h \
	tools/bench/progress.c tools/bench/progress.h \
	tools/bench/terminal.c tools/bench/terminal.h
waymark_bench_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(MPI_CFLAGS)
waymark_bench_LDADD = libwm-bench.la $(JANSSON_LIBS) $(MPI_LIBS) -ldl
