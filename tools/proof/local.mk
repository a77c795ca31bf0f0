# Plans of all ranks run symbolically.
libwm_proof_la_SOURCES += \
	tools/proof/alike.c tools/proof/alike.h \
	tools/proof/allowance.c tools/proof/allowance.h \
	tools/proof/arena.c tools/proof/arena.h \
	tools/proof/carry.c \
	tools/proof/content.c \
	tools/proof/dag.c tools/proof/dag.h \
	tools/proof/images.c tools/proof/images.h \
	tools/proof/in_place.c tools/proof/in_place.h \
	tools/proof/link.c tools/proof/link.h \
	tools/proof/machine.c tools/proof/machine.h \
	tools/proof/messages.c \
	tools/proof/moved.c \
	tools/proof/parts.c tools/proof/parts.h \
	tools/proof/prove.c tools/proof/prove.h \
	tools/proof/rounds.c tools/proof/rounds.h \
	tools/proof/scenario.c tools/proof/scenario.h \
	tools/proof/seats.c tools/proof/seats.h \
	tools/proof/shared_steps.c \
	tools/proof/size.c tools/proof/size.h \
	tools/proof/symbolic.c tools/proof/symbolic.h \
	tools/proof/symmetry.c tools/proof/symmetry.h \
	tools/proof/topology.c tools/proof/topology.h \
	tools/proof/verdict.c
EXTRA_DIST += tools/proof/README.md
