# The runtime. libwm-pure knows neither MPI nor a clock; the map server and the tools link it too.
noinst_LTLIBRARIES += libwm-pure.la
libwm_pure_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libwm_pure_la_LIBADD = $(JANSSON_LIBS)
libwm_pure_la_SOURCES = \
	core/error.c core/error.h \
	core/facts.h \
	core/grid.c core/grid.h \
	core/hazard.c core/hazard.h \
	core/holdings.c core/holdings.h \
	core/layout.c core/layout.h \
	core/machine_text.c \
	core/matrix.c core/matrix.h \
	core/native.c core/native.h \
	core/operation.c core/operation.h \
	core/order.c core/order.h \
	core/parameter.c core/parameter.h \
	core/path.c core/path.h \
	core/plan.c core/plan.h \
	core/plan_call.c \
	core/plan_shared.c \
	core/planner_net.c \
	core/planner.c core/planner.h core/planner_state.h \
	core/roll.c core/roll.h \
	core/shape.c core/shape.h \
	core/transport.h \
	core/value.c core/value.h \
	core/wrapper.c core/wrapper.h

# Loops that are to become vectors at any level of optimisation. GCC 12 fuses products and sums of straight code into one
# rounding (vfmaddsub) whatever -ffp-contract says: no vectors are made of straight code.
noinst_LTLIBRARIES += libwm-kernel.la
libwm_kernel_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
libwm_kernel_la_CFLAGS = $(AM_CFLAGS) -ftree-vectorize -fvect-cost-model=dynamic -fno-tree-slp-vectorize -ffp-contract=off
libwm_kernel_la_SOURCES = \
	core/kernel.c core/kernel.h core/kernel_table.h \
	core/kernel_body.inc.h \
	core/kernel_avx2.c \
	core/kernel_avx512.c \
	core/kernel_baseline.c

# All of the runtime, for the library and for tests of its parts.
noinst_LTLIBRARIES += libwm-runtime.la
libwm_runtime_la_CPPFLAGS = -DWM_CONVEY_LIBRARY $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS) $(LZ4_CFLAGS) $(MPI_CFLAGS)
libwm_runtime_la_CFLAGS = $(AM_CFLAGS) $(LTO_FLAGS) $(CLEARING_FLAGS)
libwm_runtime_la_LIBADD = libwm-pure.la libwm-kernel.la libwm-map.la libwm-tracer.la $(JANSSON_LIBS) $(HWLOC_LIBS) $(LZ4_LIBS) $(MPI_LIBS) -lpthread -ldl
libwm_runtime_la_SOURCES = \
	core/agreement.c core/agreement.h \
	core/ask.c \
	core/cache.c core/cache.h \
	core/call.c core/call.h \
	core/clock_exchange.c core/clock_exchange.h \
	core/clock_group.c core/clock_group.h \
	core/clock_sync.c core/clock_sync.h \
	core/comm.c core/comm.h \
	core/control.c core/control.h \
	core/describe.c core/describe.h \
	core/engine.c core/engine.h \
	core/lanes.c core/lanes.h \
	core/shared.c core/shared.h core/shared_leg.h \
	core/shared_data.c core/shared_data.h \
	core/shared_lane.c core/shared_lane.h \
	core/shared_chain.c core/shared_chain.h \
	core/shared_direct.c core/shared_direct.h \
	core/single_copy.c core/single_copy.h \
	core/shared_scratch.c core/shared_scratch.h \
	core/shared_short.c core/shared_short.h \
	core/shared_tree.c core/shared_tree.h \
	core/sharing.c core/sharing.h \
	core/geometry.c core/geometry.h \
	core/eager.c core/eager.h \
	core/machine.c core/machine.h \
	core/map_source.c core/map_source.h \
	core/mark.c \
	core/neighbours.c core/neighbours.h \
	core/net.h core/net_mpi.c \
	core/net_shm.c core/net_shm_large.c core/net_shm_queue.c core/net_shm_state.h \
	core/net_shm_ring.c core/net_shm_ring.h \
	core/node.c core/node.h core/node_wait.c core/pause.h \
	core/node_area.c core/node_area.h \
	core/node_copy.c \
	core/node_memory.c core/node_memory.h \
	core/pmix_host.c core/pmix_host.h \
	core/process.c core/process.h \
	core/progress.c core/progress.h \
	core/progress_library.c core/progress_library.h \
	core/request.c core/request.h core/request_state.h \
	core/request_nonblocking.c core/request_persistent.c \
	core/retain.c core/retain.h \
	core/runtime.c core/runtime.h \
	core/settings.c core/settings.h \
	core/side.c core/side.h \
	core/sizes.c core/sizes.h \
	core/stream.c core/stream.h \
	core/threads.c core/threads.h \
	core/visit.c core/visit.h \
	core/waiting.c core/waiting.h


lib_LTLIBRARIES += libwaymark.la
libwaymark_la_CFLAGS = $(AM_CFLAGS) $(LTO_FLAGS)
libwaymark_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0
libwaymark_la_LIBADD = libwm-runtime.la
libwaymark_la_SOURCES =
