# Plans, and how wrappers make them. Pure.
libwm_pure_la_SOURCES += \
	core/plan/call.c \
	core/plan/copying.c core/plan/copying.h \
	core/plan/hazard.c core/plan/hazard.h \
	core/plan/holdings.c core/plan/holdings.h \
	core/plan/matrix.c core/plan/matrix.h \
	core/plan/plan.c core/plan/plan.h \
	core/plan/planner.c core/plan/planner.h \
	core/plan/planner_net.c \
	core/plan/planner_places.c \
	core/plan/planner_state.h \
	core/plan/shared.c \
	core/plan/value.c core/plan/value.h

libwm_pure_la_SOURCES += \
	core/plan/convey/cells.c core/plan/convey/cells.h \
	core/plan/convey/form.c core/plan/convey/form.h \
	core/plan/convey/route.c core/plan/convey/route.h
EXTRA_DIST += core/plan/README.md
