# What planning is about: operations, shapes, grids, layouts, wrappers and paths. Pure.
libwm_pure_la_SOURCES += \
	core/path/clusters.c core/path/clusters.h core/path/cluster_check.c core/path/cluster_cut.c \
	core/path/design.c core/path/design.h \
	core/path/facts.c core/path/facts.h core/path/validity.c core/path/validity.h \
	core/path/fault.c core/path/fault.h \
	core/path/grid.c core/path/grid.h \
	core/path/lag.c core/path/lag.h \
	core/path/layout.c core/path/layout.h \
	core/path/machine_text.c \
	core/path/operation.c \
	core/path/message_design.c core/path/message_design.h \
	core/path/order.c core/path/order.h \
	core/path/parameter.c core/path/parameter.h \
	core/path/path.c core/path/path.h \
	core/path/rank_set.c core/path/rank_set.h \
	core/path/shape.c core/path/shape.h \
	core/path/transport.h \
	core/path/wrapper.c core/path/wrapper.h
EXTRA_DIST += core/path/README.md
