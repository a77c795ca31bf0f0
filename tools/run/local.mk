# waymark run.
waymark_SOURCES += \
	tools/run/environment.c tools/run/environment.h \
	tools/run/launcher.c tools/run/launcher.h \
	tools/run/maps.c tools/run/maps.h \
	tools/run/preload.c tools/run/preload.h \
	tools/run/run.c \
	tools/run/stale.c tools/run/stale.h \
	tools/run/subranks.c tools/run/subranks.h
EXTRA_DIST += tools/run/README.md
