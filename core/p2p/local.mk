# MPI's point-to-point messages.
libwm_runtime_la_SOURCES += \
	core/p2p/buffered.c \
	core/p2p/complete.c \
	core/p2p/data.c core/p2p/data.h \
	core/p2p/header.h \
	core/p2p/operation.c core/p2p/operation.h \
	core/p2p/p2p.h \
	core/p2p/probe.c \
	core/p2p/process.c core/p2p/process.h \
	core/p2p/request.c \
	core/p2p/transfer.c
EXTRA_DIST += core/p2p/README.md
