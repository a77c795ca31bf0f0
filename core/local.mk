# The runtime. Each room lists its files in its own local.mk; their order here is that of the layers.
# libwm-pure knows neither MPI nor a clock; the map server and the tools link it, too.
noinst_LTLIBRARIES += libwm-pure.la
libwm_pure_la_LIBADD = $(JANSSON_LIBS) -lm
libwm_pure_la_SOURCES = core/error.c core/error.h core/hash.h core/number.c core/parse.c core/parse.h core/search.h core/settings.c core/settings.h core/vector.h

# Loops that are to become vectors at any level of optimisation. GCC 12 fuses products and sums of straight code into one
# rounding (vfmaddsub) whatever -ffp-contract says: no vectors are made of straight code.
noinst_LTLIBRARIES += libwm-kernel.la
libwm_kernel_la_CFLAGS = $(AM_CFLAGS) -ftree-vectorize -fvect-cost-model=dynamic -fno-tree-slp-vectorize -ffp-contract=off
libwm_kernel_la_SOURCES =

# The map: a client for the runtime and the tools.
noinst_LTLIBRARIES += libwm-map.la
libwm_map_la_LIBADD = $(JANSSON_LIBS)
libwm_map_la_SOURCES =

# All of the runtime, for the library and for tests of its parts.
noinst_LTLIBRARIES += libwm-runtime.la
libwm_runtime_la_CPPFLAGS = -DWM_RUNTIME_LIBRARY $(AM_CPPFLAGS) $(HWLOC_CFLAGS) $(LZ4_CFLAGS)
# Two fields that were written one by one, and are read as one vector, wait until both stores are in the cache: behind all
# stores before them, of which one may be a miss in the user's buffer.
libwm_runtime_la_CFLAGS = $(AM_CFLAGS) $(LTO_FLAGS) $(CLEARING_FLAGS) -fno-tree-slp-vectorize
libwm_runtime_la_LIBADD = libwm-pure.la libwm-kernel.la libwm-map.la libwm-clock.la libwm-tracer.la libwm-guard.la $(JANSSON_LIBS) $(HWLOC_LIBS) $(LZ4_LIBS) $(MPI_LIBS) -lpthread -ldl
libwm_runtime_la_SOURCES =

lib_LTLIBRARIES += libwaymark.la
libwaymark_la_CFLAGS = $(AM_CFLAGS) $(LTO_FLAGS) -fno-tree-slp-vectorize
libwaymark_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0
libwaymark_la_LIBADD = libwm-runtime.la libwm-doors.la
libwaymark_la_SOURCES =

include core/statement/local.mk
include core/clock/local.mk
include core/guard/local.mk
include core/path/local.mk
include core/plan/local.mk
include core/map/local.mk
include core/data/local.mk
include core/node/local.mk
include core/net/local.mk
include core/shared/local.mk
include core/process/local.mk
include core/engine/local.mk
include core/record/local.mk
include core/message/local.mk
include core/p2p/local.mk
include core/call/local.mk
include core/convey/local.mk
include core/port/local.mk
include core/communicate/local.mk
include core/subrank/local.mk
include core/job/local.mk
include core/pmpi/local.mk
