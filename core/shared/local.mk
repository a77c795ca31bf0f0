# Shared steps: collectives of a node's ranks in its memory.
libwm_runtime_la_SOURCES += \
	core/shared/chain.c core/shared/chain.h \
	core/shared/data.c core/shared/data.h \
	core/shared/direct.c core/shared/direct.h \
	core/shared/joint_plan.c core/shared/joint_plan.h \
	core/shared/lane.c core/shared/lane.h \
	core/shared/lanes.c core/shared/lanes.h \
	core/shared/phase.h \
	core/shared/scratch.c core/shared/scratch.h \
	core/shared/shared.c core/shared/shared.h \
	core/shared/sharing.c core/shared/sharing.h \
	core/shared/short.c core/shared/short.h \
	core/shared/short_plan.c core/shared/short_plan.h \
	core/shared/tree.c core/shared/tree.h
EXTRA_DIST += core/shared/README.md
