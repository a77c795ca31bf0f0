# waymark statement.
waymark_SOURCES += \
	tools/statement/command.c \
	tools/statement/data.c \
	tools/statement/declare.c \
	tools/statement/flows.c tools/statement/flows.h \
	tools/statement/hint.c \
	tools/statement/json.c tools/statement/json_plan.c \
	tools/statement/let.c tools/statement/let.h \
	tools/statement/lets.c tools/statement/lets.h \
	tools/statement/names.c tools/statement/names.h \
	tools/statement/plan.c tools/statement/plan.h \
	tools/statement/proof.h \
	tools/statement/prove.c tools/statement/prove.h \
	tools/statement/said.c tools/statement/said.h \
	tools/statement/show.h \
	tools/statement/survey.c tools/statement/survey.h \
	tools/statement/tell.c tools/statement/tell.h \
	tools/statement/text.c \
	tools/statement/text_check.c tools/statement/text_plan.c
EXTRA_DIST += tools/statement/README.md
