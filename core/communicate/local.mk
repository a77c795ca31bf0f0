# Statements at run time.
libwm_runtime_la_SOURCES += \
	core/communicate/agree.c core/communicate/agree.h \
	core/communicate/arrived.h \
	core/communicate/check.c core/communicate/check.h \
	core/communicate/collective.c core/communicate/collective.h \
	core/communicate/communicate.c \
	core/communicate/deal.c core/communicate/deal.h \
	core/communicate/depend.c \
	core/communicate/fault.c \
	core/communicate/fly.c core/communicate/fly.h \
	core/communicate/fly_conveyor.c \
	core/communicate/fly_requests.c \
	core/communicate/fly_senders.c \
	core/communicate/form.c \
	core/communicate/load.c core/communicate/load.h \
	core/communicate/patience.c core/communicate/patience.h \
	core/communicate/place.c \
	core/communicate/record.c core/communicate/record.h \
	core/communicate/rule.c core/communicate/rule.h \
	core/communicate/scope.c \
	core/communicate/talk.c core/communicate/talk.h \
	core/communicate/team.c core/communicate/team.h \
	core/communicate/turn.c core/communicate/turn.h
EXTRA_DIST += core/communicate/README.md
