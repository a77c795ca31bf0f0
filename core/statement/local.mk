# Statements: the language, without MPI.
libwm_pure_la_SOURCES += \
	core/statement/agreement.c core/statement/agreement.h \
	core/statement/bindings.c \
	core/statement/clauses.c \
	core/statement/collective.c core/statement/collective.h \
	core/statement/compile.c core/statement/compile.h \
	core/statement/enumerate.c core/statement/enumerate.h \
	core/statement/evaluate.c core/statement/evaluate.h \
	core/statement/traffic.c core/statement/traffic.h \
	core/statement/expression.c \
	core/statement/head.c \
	core/statement/part.c \
	core/statement/places.c core/statement/places.h \
	core/statement/statement.h \
	core/statement/promises.c core/statement/promises.h \
	core/statement/token.c core/statement/token.h
EXTRA_DIST += core/statement/README.md
