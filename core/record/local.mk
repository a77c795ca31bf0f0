# What the trace is told.
libwm_runtime_la_SOURCES += \
	core/record/control.c core/record/control.h \
	core/record/mark.c \
	core/record/visit.c core/record/visit.h \
	core/record/waiting.c core/record/waiting.h
