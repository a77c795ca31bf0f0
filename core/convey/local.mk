# Conveyors: the runtime's part.
libwm_runtime_la_SOURCES += \
	core/convey/advance.c \
	core/convey/biconvey.c \
	core/convey/biconvey_answer.c \
	core/convey/biconvey_state.h \
	core/convey/biconvey_window.c \
	core/convey/carrier.c core/convey/carrier.h \
	core/convey/carrier_mpi.c \
	core/convey/carrier_shm.c core/convey/carrier_shm.h \
	core/convey/carrier_sync.c core/convey/carrier_sync.h \
	core/convey/carrier_sync_exchange.c \
	core/convey/carrier_sync_state.h \
	core/convey/codec.h \
	core/convey/codec_lz4.c \
	core/convey/codec_squeeze.c \
	core/convey/design.c \
	core/convey/elastic.c core/convey/elastic.h \
	core/convey/fail.c \
	core/convey/flow.c \
	core/convey/handler.c \
	core/convey/life.c \
	core/convey/monster.c core/convey/monster.h \
	core/convey/new.c \
	core/convey/packer.c core/convey/packer.h \
	core/convey/pipeline.c \
	core/convey/pull.c \
	core/convey/push.c \
	core/convey/relay.c \
	core/convey/spread.c core/convey/spread.h \
	core/convey/state.h \
	core/convey/statistic.c \
	core/convey/store.c core/convey/store.h \
	core/convey/synchronous.c core/convey/synchronous.h \
	core/convey/tag.h \
	core/convey/trace.c core/convey/trace.h \
	core/convey/trace_define.c \
	core/convey/ways.c
EXTRA_DIST += core/convey/README.md
