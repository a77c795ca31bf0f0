# What the trace is told.
libwm_runtime_la_SOURCES += \
	core/record/clock_group.c core/record/clock_group.h \
	core/record/clock_sync.c core/record/clock_sync.h \
	core/record/control.c core/record/control.h \
	core/record/mark.c \
	core/record/own_message.c core/record/own_message.h \
	core/record/region.c core/record/region.h \
	core/record/recordings.c core/record/recordings.h \
	core/record/waiting.c core/record/waiting.h
EXTRA_DIST += core/record/README.md
