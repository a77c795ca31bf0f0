# waymark doctor.
waymark_SOURCES += \
	tools/doctor/case.c tools/doctor/case.h \
	tools/doctor/command.c \
	tools/doctor/flaws.c tools/doctor/flaws.h \
	tools/doctor/patient.c tools/doctor/patient.h \
	tools/doctor/where.c tools/doctor/where.h \
	tools/doctor/process.c tools/doctor/process.h \
	tools/doctor/site.c tools/doctor/site.h \
	tools/doctor/waits.c tools/doctor/waits.h \
	tools/doctor/words.c tools/doctor/words.h

# What guards tell each other.
talk_sources = \
	tools/doctor/changes.c tools/doctor/changes.h \
	tools/doctor/contact.c tools/doctor/contact.h \
	tools/doctor/copies.c tools/doctor/copies.h \
	tools/doctor/news.c tools/doctor/news.h \
	tools/doctor/process.c tools/doctor/process.h \
	tools/doctor/tree.c tools/doctor/tree.h

pkglibexec_PROGRAMS += waymark-guard
waymark_guard_LDADD = libwm-guard.la libwm-report.la libwm-pure.la $(JANSSON_LIBS)
waymark_guard_SOURCES = $(talk_sources) \
	tools/doctor/case.c tools/doctor/case.h \
	tools/doctor/flaws.c tools/doctor/flaws.h \
	tools/doctor/guard.c \
	tools/doctor/patient.c tools/doctor/patient.h \
	tools/doctor/where.c tools/doctor/where.h \
	tools/doctor/site.c tools/doctor/site.h \
	tools/doctor/wards.c tools/doctor/wards.h \
	tools/doctor/voice.c tools/doctor/voice.h \
	tools/doctor/vigil.c tools/doctor/vigil.h \
	tools/doctor/waits.c tools/doctor/waits.h \
	tools/doctor/words.c tools/doctor/words.h
EXTRA_DIST += tools/doctor/README.md
