# Messages: what is not inlined.
libwm_runtime_la_SOURCES += \
	core/message/endpoints.c core/message/endpoints.h \
	core/message/matching.c \
	core/message/number.c \
	core/message/sentence.c
EXTRA_DIST += core/message/README.md
