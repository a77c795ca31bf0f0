# waymark top.
libwm_report_la_SOURCES += \
	tools/top/screen.c tools/top/screen.h \
	tools/top/snapshot.c tools/top/snapshot.h \
	tools/top/words.c

waymark_SOURCES += \
	tools/top/command.c \
	tools/top/tty.c tools/top/tty.h \
	tools/top/watch.c tools/top/watch.h
EXTRA_DIST += tools/top/README.md
