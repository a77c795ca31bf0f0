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
	core/statement/fold.c \
	core/statement/frame.c \
	core/statement/item.c core/statement/item.h \
	core/statement/items.h \
	core/statement/pack.c \
	core/statement/part.c \
	core/statement/places.c core/statement/places.h \
	core/statement/promises.c core/statement/promises.h \
	core/statement/scalar.c core/statement/scalar.h \
	core/statement/section.c core/statement/section.h \
	core/statement/statement.h \
	core/statement/store.c \
	core/statement/team.c core/statement/team.h \
	core/statement/token.c core/statement/token.h \
	core/statement/unpack.c
EXTRA_DIST += core/statement/README.md
