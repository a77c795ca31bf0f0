# Messages between ranks.
libwm_runtime_la_SOURCES += \
	core/net/mpi.c \
	core/net/net.h \
	core/net/parcels.c core/net/parcels.h \
	core/net/shadow.c core/net/shadow.h \
	core/net/shm.c \
	core/net/shm_large.c \
	core/net/shm_pool.h \
	core/net/shm_queue.c \
	core/net/shm_ring.c core/net/shm_ring.h \
	core/net/shm_state.h
EXTRA_DIST += core/net/README.md
