# What the communicators of a process share.
libwm_runtime_la_SOURCES += \
	core/process/epochs.c core/process/epochs.h \
	core/process/host_clusters.c core/process/host_clusters.h core/process/host_pings.c core/process/host_pings.h \
	core/process/machine.c core/process/machine.h \
	core/process/map_source.c core/process/map_source.h \
	core/process/pmix_host.c core/process/pmix_host.h \
	core/process/process.c core/process/process.h \
	core/process/uplink.c core/process/uplink.h \
	core/process/utf8.c core/process/utf8.h
EXTRA_DIST += core/process/README.md
