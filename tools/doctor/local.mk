# waymark doctor.
waymark_SOURCES += \
	tools/doctor/case.c tools/doctor/case.h \
	tools/doctor/command.c \
	tools/doctor/patient.c tools/doctor/patient.h \
	tools/doctor/process.c tools/doctor/process.h \
	tools/doctor/site.c tools/doctor/site.h \
	tools/doctor/words.c tools/doctor/words.h
EXTRA_DIST += tools/doctor/README.md
