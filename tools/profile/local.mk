# Machines' profiles.
libwm_profile_la_SOURCES += \
	tools/profile/assumed.c \
	tools/profile/machine.c tools/profile/machine.h \
	tools/profile/machine_json.c
EXTRA_DIST += tools/profile/README.md
