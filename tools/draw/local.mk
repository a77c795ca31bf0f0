# waymark show, explain and wrappers.
waymark_SOURCES += \
	tools/draw/arrows.c tools/draw/arrows.h \
	tools/draw/dot.c \
	tools/draw/dot_conveyor.c \
	tools/draw/drawing.c tools/draw/drawing.h \
	tools/draw/drawing_conveyor.c \
	tools/draw/drawing_message.c \
	tools/draw/drawing_rank.c \
	tools/draw/drawing_rounds.c \
	tools/draw/explain.c \
	tools/draw/shared_steps.c tools/draw/shared_steps.h \
	tools/draw/show.c \
	tools/draw/wrapper_tables.c tools/draw/wrapper_tables.h \
	tools/draw/wrapper_words.c tools/draw/wrapper_words.h \
	tools/draw/wrappers.c
EXTRA_DIST += tools/draw/README.md
