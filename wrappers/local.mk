# One line a wrapper, and the exchanges that they share.
EXTRA_DIST += wrappers/wrappers.def
libwm_pure_la_SOURCES += \
	wrappers/parameters.h wrappers/table.c \
	wrappers/aggregate.c \
	wrappers/allgather.c \
	wrappers/allreduce.c \
	wrappers/alltoall.c wrappers/alltoall.h wrappers/alltoall_bruck.c \
	wrappers/barrier.c \
	wrappers/bcast.c \
	wrappers/coalesce.c \
	wrappers/compress.c \
	wrappers/delay.c \
	wrappers/faults.c wrappers/faults.h \
	wrappers/flip.c \
	wrappers/gather.c \
	wrappers/kill_rank.c \
	wrappers/lose.c \
	wrappers/native.c \
	wrappers/neighbor.c \
	wrappers/reduce.c \
	wrappers/reduce_scatter.c \
	wrappers/remote.c \
	wrappers/route.c \
	wrappers/scan.c wrappers/scan.h \
	wrappers/scan_butterfly.c \
	wrappers/scan_dissemination.c \
	wrappers/scan_shared.c \
	wrappers/scan_tree.c \
	wrappers/scatter.c \
	wrappers/segment.c \
	wrappers/stop_rank.c \
	wrappers/synchronous.c \
	wrappers/trace.c \
	wrappers/verify.c \
	wrappers/via.c \
	wrappers/shapes.c wrappers/shapes.h \
	wrappers/bruck.c \
	wrappers/butterfly.c \
	wrappers/direct.c \
	wrappers/dissemination.c \
	wrappers/double_tree.c \
	wrappers/exchange.c \
	wrappers/halving.c \
	wrappers/multiply.c \
	wrappers/pairs.c wrappers/pairs.h \
	wrappers/ring.c \
	wrappers/share.c \
	wrappers/shared.c wrappers/shared.h \
	wrappers/split_binary.c \
	wrappers/tree.c
EXTRA_DIST += wrappers/README.md
