# Subranks.
libwm_pure_la_SOURCES += core/subrank/advice.c core/subrank/advice.h
libwm_runtime_la_SOURCES += \
	core/subrank/coroutine.c core/subrank/coroutine.h core/subrank/coroutine_switch.h \
	core/subrank/program.c core/subrank/program.h \
	core/subrank/program_bind.c \
	core/subrank/program_image.c core/subrank/program_image.h \
	core/subrank/schedule.c core/subrank/schedule.h \
	core/subrank/schedule_crash.c core/subrank/schedule_state.h \
	core/subrank/stack.c core/subrank/stack.h \
	core/subrank/turnstile.c core/subrank/turnstile.h \
	core/subrank/worker.c
EXTRA_DIST += core/subrank/README.md

# MPI among subranks. Its doors have the names of MPI's functions, and a program that links them exports
# them (-export-dynamic): the program comes first of all libraries.
noinst_LTLIBRARIES += libwm-subranks.la
libwm_subranks_la_CPPFLAGS = $(AM_CPPFLAGS) -DWM_FORTRAN_OF_SUBRANKS
libwm_subranks_la_CFLAGS = $(AM_CFLAGS) $(LTO_FLAGS) -fno-tree-slp-vectorize
libwm_subranks_la_SOURCES = \
	core/pmpi/fortran.c core/pmpi/fortran.h \
	core/subrank/attribute.c \
	core/subrank/built_in.c core/subrank/built_in.h \
	core/subrank/collective.c core/subrank/collective.h core/subrank/collective_door.h core/subrank/collective_own.c \
	core/subrank/comm.c core/subrank/comm_ask.c \
	core/subrank/crossing.c core/subrank/crossing.h core/subrank/crossing_call.c \
	core/subrank/error.c \
	core/subrank/fortran.c core/subrank/fortran.h \
	core/subrank/fortran_constants.c \
	core/subrank/functions.c core/subrank/functions.h \
	core/subrank/group.c \
	core/subrank/handle.c core/subrank/handle.h \
	core/subrank/inter.c core/subrank/inter.h \
	core/subrank/map.c \
	core/subrank/memory.c \
	core/subrank/message.c \
	core/subrank/net.c \
	core/subrank/plans.c \
	core/subrank/rank.h \
	core/subrank/record.c core/subrank/record.h \
	core/subrank/refuse.c core/subrank/refuse.h \
	core/subrank/request.c core/subrank/request_number.c \
	core/subrank/siblings.c core/subrank/siblings.h \
	core/subrank/stuck.c core/subrank/stuck.h \
	core/subrank/superblock.c core/subrank/superblock.h \
	core/subrank/superblock_report.c \
	core/subrank/topology.c core/subrank/topology.h \
	core/subrank/topology_doors.c \
	core/subrank/world.c core/subrank/world.h
subranks_generated = core/subrank/collective_doors.c core/subrank/fortran_doors.c
nodist_libwm_subranks_la_SOURCES = $(subranks_generated)
BUILT_SOURCES += $(subranks_generated)
CLEANFILES += $(subranks_generated)

core/subrank/collective_doors.c: $(doors_table)
	$(AM_V_GEN)$(MKDIR_P) core/subrank && $(generate_doors) subranks $(doors_from)
core/subrank/fortran_doors.c: $(doors_table)
	$(AM_V_GEN)$(MKDIR_P) core/subrank && $(generate_doors) subranks-f $(doors_from)

# Exports what it has in the C library's place, and what marks of the program call.
pkglibexec_PROGRAMS += waymark-subranks
waymark_subranks_LDFLAGS = $(AM_LDFLAGS) -export-dynamic -Wl,-u,wm_mark
waymark_subranks_LDADD = libwm-subranks.la libwm-runtime.la $(MPI_LIBS) -ldl
waymark_subranks_SOURCES = \
	core/subrank/host.c core/subrank/host.h \
	core/subrank/host_exit.c \
	core/subrank/host_mpi.c \
	core/subrank/host_own.c \
	core/subrank/host_processors.c
