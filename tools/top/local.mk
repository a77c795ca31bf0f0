# waymark top.
libwm_report_la_SOURCES += \
	tools/top/frame.c tools/top/frame.h \
	tools/top/page.c tools/top/page.h \
	tools/top/words.c

waymark_SOURCES += \
	tools/top/command.c \
	tools/top/terminal.c tools/top/terminal.h \
	tools/top/watch.c tools/top/watch.h
EXTRA_DIST += tools/top/README.md
