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
	core/planner.c core/planner.h core/planner_state.h \
	core/roll.c core/roll.h \
	core/shape.c core/shape.h \
	core/value.c core/value.h \
	core/wrapper.c core/wrapper.h

lib_LTLIBRARIES += libwaymark.la
libwaymark_la_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(HWLOC_CFLAGS) $(MPI_CFLAGS)
libwaymark_la_CFLAGS = $(AM_CFLAGS) $(LTO_FLAGS)
libwaymark_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0
libwaymark_la_LIBADD = libwm-pure.la libwm-map.la libwm-tracer.la $(JANSSON_LIBS) $(HWLOC_LIBS) $(MPI_LIBS) -lpthread -ldl
libwaymark_la_SOURCES = \
	core/agreement.c core/agreement.h \
	core/ask.c \
	core/cache.c core/cache.h \
	core/call.c core/call.h \
	core/comm.c core/comm.h \
	core/describe.c core/describe.h \
	core/engine.c core/engine.h \
	core/geometry.c core/geometry.h \
	core/machine.c core/machine.h \
	core/neighbours.c core/neighbours.h \
	core/net.h core/net_mpi.c \
	core/pmix_host.c core/pmix_host.h \
	core/process.c core/process.h \
	core/progress.c core/progress.h \
	core/request.c core/request.h \
	core/retain.c core/retain.h \
	core/runtime.c core/runtime.h \
	core/settings.c core/settings.h \
	core/side.c core/side.h \
	core/sizes.c core/sizes.h \
	core/threads.c core/threads.h
