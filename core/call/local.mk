# From a call's arguments to its plan in flight.
libwm_pure_la_SOURCES += \
	core/call/native.c core/call/native.h

libwm_runtime_la_SOURCES += \
	core/call/ask.c \
	core/call/cache.c core/call/cache.h \
	core/call/call.c \
	core/call/comm.c core/call/comm.h \
	core/call/describe.c core/call/describe.h \
	core/call/progress.c core/call/progress.h \
	core/call/request.c core/call/request.h \
	core/call/request_nonblocking.c \
	core/call/request_persistent.c \
	core/call/request_state.h \
	core/call/retain.c core/call/retain.h \
	core/call/sizes.c core/call/sizes.h
EXTRA_DIST += core/call/README.md
