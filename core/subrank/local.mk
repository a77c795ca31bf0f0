# Subranks.
libwm_runtime_la_SOURCES += \
	core/subrank/coroutine.c core/subrank/coroutine.h \
	core/subrank/schedule.c core/subrank/schedule.h \
	core/subrank/schedule_crash.c core/subrank/schedule_state.h \
	core/subrank/stack.c core/subrank/stack.h
EXTRA_DIST += core/subrank/README.md
