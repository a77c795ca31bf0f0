# From a call's arguments to its plan in flight.
libwm_pure_la_SOURCES += \
	core/call/native.c core/call/native.h

libwm_runtime_la_SOURCES += \
	core/call/again.c core/call/again.h \
	core/call/answers.c core/call/answers.h \
	core/call/ask.c core/call/ask.h \
	core/call/buffers.c core/call/buffers.h \
	core/call/brief.c core/call/brief.h \
	core/call/broadcast.c core/call/broadcast.h \
	core/call/cache.c core/call/cache.h \
	core/call/call.c \
	core/call/clocks.c core/call/clocks.h \
	core/call/comm.c core/call/comm.h \
	core/call/describe.c core/call/describe.h \
	core/call/endpoint.c core/call/endpoint.h \
	core/call/flaw.c core/call/flaw.h \
	core/call/ground.c core/call/ground.h \
	core/call/join.c core/call/join.h \
	core/call/kin.c core/call/kin.h \
	core/call/leak.c core/call/leak.h \
	core/call/left.c core/call/left.h \
	core/call/letter.c core/call/letter.h \
	core/call/meeting.c core/call/meeting.h \
	core/call/nonblocking.c \
	core/call/pairs.c core/call/pairs.h \
	core/call/persistent.c core/call/persistent.h \
	core/call/plans.c core/call/plans.h \
	core/call/pool.c core/call/pool.h \
	core/call/progress.c core/call/progress.h \
	core/call/publish.c core/call/publish.h \
	core/call/question.c core/call/question.h \
	core/call/queue.c core/call/queue.h \
	core/call/records.c core/call/records.h \
	core/call/repeat.c core/call/repeat.h \
	core/call/request.c core/call/request.h \
	core/call/results.c core/call/results.h \
	core/call/retain.c core/call/retain.h \
	core/call/round.c core/call/round.h \
	core/call/seed.c core/call/seed.h \
	core/call/sizes.c core/call/sizes.h \
	core/call/trial.c core/call/trial.h \
	core/call/verify.c core/call/verify.h \
	core/call/dead.c core/call/dead.h \
	core/call/watch.c core/call/watch.h \
	core/call/follow.c core/call/follow.h \
	core/call/wait.c core/call/wait.h \
	core/call/ways.c core/call/ways.h \
	core/call/over.c core/call/over.h
EXTRA_DIST += core/call/README.md
