# The user's buffers and datatypes, and the loops over them.
libwm_kernel_la_SOURCES += \
	core/data/kernel.c core/data/kernel.h \
	core/data/kernel_avx2.c \
	core/data/kernel_avx512.c \
	core/data/kernel_baseline.c \
	core/data/kernel_body.inc.h \
	core/data/kernel_table.h

libwm_runtime_la_SOURCES += \
	core/data/allocate.c core/data/allocate.h \
	core/data/geometry.c core/data/geometry.h \
	core/data/neighbours.c core/data/neighbours.h \
	core/data/own_comm.c core/data/own_comm.h \
	core/data/persistent_library.c core/data/persistent_library.h \
	core/data/side.c core/data/side.h \
	core/data/signature.c core/data/signature.h
EXTRA_DIST += core/data/README.md
