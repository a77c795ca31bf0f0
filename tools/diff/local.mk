# waymark diff.
libwm_report_la_SOURCES += \
	tools/diff/bootstrap.c tools/diff/bootstrap.h \
	tools/diff/compare.c tools/diff/compare.h \
	tools/diff/json.c \
	tools/diff/sample.c tools/diff/sample.h \
	tools/diff/show.h \
	tools/diff/text.c \
	tools/diff/words.c

waymark_SOURCES += \
	tools/diff/command.c
EXTRA_DIST += tools/diff/README.md
