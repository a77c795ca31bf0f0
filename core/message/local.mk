# Messages: what is not inlined.
libwm_runtime_la_SOURCES += \
	core/message/delay.c core/message/delay.h \
	core/message/endpoints.c core/message/endpoints.h \
	core/message/far.c core/message/far.h \
	core/message/far_receive.c \
	core/message/far_send.c \
	core/message/lost.c \
	core/message/matching.c \
	core/message/passage.c \
	core/message/progress.c \
	core/message/sentence.c \
	core/message/span.h \
	core/message/trace.c \
	core/message/wire.c core/message/wire.h \
	core/message/wire_carriers.h \
	core/message/wire_parcels.c \
	core/message/wire_ring.c
EXTRA_DIST += core/message/README.md
