# One line a wrapper, and the exchanges that they share.
EXTRA_DIST += wrappers/wrappers.def
libwm_pure_la_SOURCES += \
	wrappers/parameters.h wrappers/table.c \
	wrappers/allreduce.c wrappers/allreduce.h \
	wrappers/barrier.c \
	wrappers/bcast.c \
	wrappers/native.c \
	wrappers/reduce.c \
	wrappers/reduce_scatter.c \
	wrappers/remote.c \
	wrappers/scatter.c \
	wrappers/segment.c \
	wrappers/trace.c \
	wrappers/shapes.h \
	wrappers/butterfly.c \
	wrappers/direct.c \
	wrappers/halving.c \
	wrappers/pairs.c wrappers/pairs.h \
	wrappers/ring.c \
	wrappers/share.c \
	wrappers/tree.c
