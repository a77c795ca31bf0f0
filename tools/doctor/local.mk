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

pkglibexec_PROGRAMS += waymark-guard
waymark_guard_LDADD = libwm-guard.la libwm-report.la libwm-pure.la $(JANSSON_LIBS)
waymark_guard_SOURCES = \
	tools/doctor/case.c tools/doctor/case.h \
	tools/doctor/flaws.c tools/doctor/flaws.h \
	tools/doctor/guard.c \
	tools/doctor/patient.c tools/doctor/patient.h \
	tools/doctor/where.c tools/doctor/where.h \
	tools/doctor/process.c tools/doctor/process.h \
	tools/doctor/site.c tools/doctor/site.h \
	tools/doctor/voice.c tools/doctor/voice.h \
	tools/doctor/vigil.c tools/doctor/vigil.h \
	tools/doctor/waits.c tools/doctor/waits.h \
	tools/doctor/words.c tools/doctor/words.h
EXTRA_DIST += tools/doctor/README.md
