# waymark init.
waymark_SOURCES += \
	tools/init/clauses.c tools/init/clauses.h \
	tools/init/command.c \
	tools/init/costs.c tools/init/costs.h \
	tools/init/write.c tools/init/write.h
EXTRA_DIST += tools/init/README.md
