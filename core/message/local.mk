# Messages: what is not inlined.
libwm_runtime_la_SOURCES += \
	core/message/matching.c
EXTRA_DIST += core/message/README.md
