# waymark predict.
libwm_predict_la_SOURCES += \
	tools/predict/blame.c tools/predict/blame.h \
	tools/predict/conveyor.c tools/predict/conveyor.h \
	tools/predict/crowd.c tools/predict/crowd.h \
	tools/predict/events.c tools/predict/events.h \
	tools/predict/fluid.c tools/predict/fluid.h \
	tools/predict/folds.c tools/predict/folds.h \
	tools/predict/meetings.c \
	tools/predict/messages.c \
	tools/predict/model.c tools/predict/model.h \
	tools/predict/program.c tools/predict/program.h \
	tools/predict/quotient.c tools/predict/quotient.h \
	tools/predict/simulation.c tools/predict/simulation.h \
	tools/predict/convey_traffic.c tools/predict/convey_traffic.h

waymark_SOURCES += \
	tools/predict/call.c tools/predict/call.h \
	tools/predict/command.c \
	tools/predict/exchange.c tools/predict/exchange.h \
	tools/predict/conveyors.c tools/predict/conveyors.h \
	tools/predict/json.c \
	tools/predict/plot.c \
	tools/predict/prediction.c tools/predict/prediction.h \
	tools/predict/report.c tools/predict/report.h \
	tools/predict/statement.c tools/predict/statement.h \
	tools/predict/text.c
EXTRA_DIST += tools/predict/README.md
