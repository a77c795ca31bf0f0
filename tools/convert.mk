# waymark convert: the converters, linked into waymark and into their test.
noinst_LTLIBRARIES += libwm-convert.la
libwm_convert_la_SOURCES = \
	tools/convert/chrome.c \
	tools/convert/convert.c tools/convert/convert.h \
	tools/convert/converter.h \
	tools/convert/csv.c \
	tools/convert/event.c tools/convert/event.h \
	tools/convert/formats.c \
	tools/convert/links.c tools/convert/links.h \
	tools/convert/names.c tools/convert/names.h \
	tools/convert/naming.c tools/convert/naming.h \
	tools/convert/sink.c tools/convert/sink.h \
	tools/convert/paje.c \
	tools/convert/perfetto.c \
	tools/convert/protobuf.c tools/convert/protobuf.h \
	tools/convert/stream.c tools/convert/stream.h \
	tools/convert/text.c \
	tools/convert/tracks.c tools/convert/tracks.h
libwm_convert_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(OTF2_CFLAGS)
libwm_convert_la_LIBADD = libwm-report.la $(OTF2_LIBS)
if HAVE_OTF2
libwm_convert_la_SOURCES += tools/convert/otf2.c tools/convert/otf2_definitions.c tools/convert/otf2_memory.c tools/convert/otf2_archive.h
else
libwm_convert_la_SOURCES += tools/convert/otf2_absent.c
endif

# What it writes, and how to open it.
dist_doc_DATA += docs/convert.md
