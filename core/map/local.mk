# The map: a client for the runtime and the tools, a server that alone knows Guile.
libwm_map_la_SOURCES += \
	core/map/answer.c \
	core/map/client.c \
	core/map/complete.c core/map/complete.h \
	core/map/explain.c core/map/explain.h \
	core/map/file.c \
	core/map/launch.c core/map/launch.h \
	core/map/map.h \
	core/map/protocol.c core/map/protocol.h \
	core/map/reply.c core/map/reply.h \
	core/map/subranks.c core/map/subranks.h

pkglibexec_PROGRAMS += waymark-map-server
waymark_map_server_CPPFLAGS = $(AM_CPPFLAGS) $(GUILE_CFLAGS) $(SECCOMP_CFLAGS) \
	-DWM_GUILE_SITE_DIR='"$(guilesitedir)"' -DWM_GUILE_CCACHE_DIR='"$(guileccachedir)"'
waymark_map_server_LDADD = libwm-map.la libwm-pure.la $(GUILE_LIBS) $(JANSSON_LIBS) $(SECCOMP_LIBS)
waymark_map_server_SOURCES = \
	core/map/guile.c core/map/guile.h \
	core/map/last_words.c core/map/last_words.h \
	core/map/sandbox.c core/map/sandbox.h \
	core/map/server.c
EXTRA_DIST += core/map/README.md
