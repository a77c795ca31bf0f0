# waymark top.
libwm_report_la_SOURCES += \
	tools/top/screen.c tools/top/screen.h \
	tools/top/snapshot.c tools/top/snapshot.h \
	tools/top/words.c

waymark_SOURCES += \
	tools/top/command.c \
	tools/top/terminal.c tools/top/terminal.h \
	tools/top/watch.c tools/top/watch.h
EXTRA_DIST += tools/top/README.md
