# Plans in flight.
libwm_runtime_la_SOURCES += \
	core/engine/engine.c core/engine/engine.h \
	core/engine/fault.c core/engine/fault.h \
	core/engine/holding.c core/engine/holding.h \
	core/engine/state.h \
	core/engine/step.c core/engine/step.h
EXTRA_DIST += core/engine/README.md
