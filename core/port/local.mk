# Ports: channels that are found by name.
libwm_runtime_la_SOURCES += \
	core/port/directory.c \
	core/port/end.c \
	core/port/host.c \
	core/port/ports.c \
	core/port/select.c \
	core/port/sentence.c core/port/sentence.h \
	core/port/state.h
EXTRA_DIST += core/port/README.md
