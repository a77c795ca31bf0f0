# A map asked about a machine.
waymark_SOURCES += \
	tools/site/question.c tools/site/question.h \
	tools/site/scene.c tools/site/scene.h \
	tools/site/site.c tools/site/site.h
EXTRA_DIST += tools/site/README.md
