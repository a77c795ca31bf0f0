# waymark translate, and the program that loads libclang.
waymark_SOURCES += tools/translate/command.c tools/translate/translate.h
EXTRA_DIST += tools/translate/README.md

if HAVE_LIBCLANG
pkglibexec_PROGRAMS += waymark-translate
endif
waymark_translate_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCLANG_CFLAGS) -DWM_INCLUDEDIR='"$(includedir)"'
waymark_translate_LDADD = libwm-report.la libwm-pure.la $(LIBCLANG_LIBS)
waymark_translate_SOURCES = \
	tools/translate/bind.c tools/translate/bind.h \
	tools/translate/c_file.c tools/translate/c_file.h \
	tools/translate/jump.c tools/translate/jump.h \
	tools/translate/main.c \
	tools/translate/pragma.c tools/translate/pragma.h \
	tools/translate/unit.c tools/translate/unit.h
