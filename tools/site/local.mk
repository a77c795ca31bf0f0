# A map asked about a machine.
waymark_SOURCES += \
	tools/check/site.c \
	tools/site/question.c tools/site/question.h \
	tools/site/scene.c tools/site/scene.h
EXTRA_DIST += tools/site/README.md
