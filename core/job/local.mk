# The job: its start, its end, its clocks.
libwm_pure_la_SOURCES += \
	core/job/roll.c core/job/roll.h

libwm_runtime_la_SOURCES += \
	core/job/agreement.c core/job/agreement.h \
	core/job/guard.c core/job/guard.h \
	core/job/guard_tree.c core/job/guard_tree.h \
	core/job/roll_call.c core/job/roll_call.h \
	core/job/runtime.c \
	core/job/threads.c \
	core/job/without_mpi.c core/job/without_mpi.h
EXTRA_DIST += core/job/README.md
