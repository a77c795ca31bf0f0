# waymark convert.
libwm_convert_la_SOURCES += \
	tools/convert/chrome.c \
	tools/convert/convert.c tools/convert/convert.h \
	tools/convert/converter.h \
	tools/convert/csv.c \
	tools/convert/event.c tools/convert/event.h \
	tools/convert/formats.c \
	tools/convert/links.c tools/convert/links.h \
	tools/convert/names.c tools/convert/names.h \
	tools/convert/naming.c tools/convert/naming.h \
	tools/convert/paje.c \
	tools/convert/perfetto.c \
	tools/convert/protobuf.c tools/convert/protobuf.h \
	tools/convert/sink.c tools/convert/sink.h \
	tools/convert/stream.c tools/convert/stream.h \
	tools/convert/text.c \
	tools/convert/tracks.c tools/convert/tracks.h

waymark_SOURCES += \
	tools/convert/command.c

if HAVE_OTF2
libwm_convert_la_SOURCES += tools/convert/otf2.c tools/convert/otf2_definitions.c tools/convert/otf2_memory.c tools/convert/otf2_archive.h
else
libwm_convert_la_SOURCES += tools/convert/otf2_absent.c
endif
EXTRA_DIST += tools/convert/README.md
