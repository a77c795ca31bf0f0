# The job: its start, its end, its clocks.
libwm_pure_la_SOURCES += \
	core/job/roll.c core/job/roll.h

libwm_runtime_la_SOURCES += \
	core/job/agreement.c core/job/agreement.h \
	core/job/clock_exchange.c core/job/clock_exchange.h \
	core/job/clock_group.c core/job/clock_group.h \
	core/job/clock_sync.c core/job/clock_sync.h \
	core/job/runtime.c \
	core/job/threads.c
