# Routes of conveyors, proved.
libwm_proof_la_SOURCES += \
	tools/routes/cycles.c tools/routes/cycles.h \
	tools/routes/network.c tools/routes/network.h \
	tools/routes/prove.c tools/routes/prove.h \
	tools/routes/survey.c tools/routes/survey.h
EXTRA_DIST += tools/routes/README.md
