# A node's memory, and what the machine and the MPI library let us do there.
libwm_runtime_la_SOURCES += \
	core/node/area.c core/node/area.h \
	core/node/copy.c \
	core/node/eager.c core/node/eager.h \
	core/node/handover.c core/node/handover.h \
	core/node/memory.c core/node/memory.h \
	core/node/node.c core/node/node.h \
	core/node/own_line.h \
	core/node/pause.h \
	core/node/ticks.h \
	core/node/processor.c core/node/processor.h \
	core/node/progress_library.c core/node/progress_library.h \
	core/node/single_copy.c core/node/single_copy.h \
	core/node/rest.c core/node/rest.h \
	core/node/wait.c
EXTRA_DIST += core/node/README.md
