# The guard: pages, and what can be told from them. No MPI.
noinst_LTLIBRARIES += libwm-guard.la
libwm_guard_la_SOURCES = \
	core/guard/check.c core/guard/check.h \
	core/guard/judge.c core/guard/judge.h \
	core/guard/members.c core/guard/members.h \
	core/guard/disagreement.c core/guard/disagreement.h \
	core/guard/held.c core/guard/held.h \
	core/guard/post.c core/guard/post.h \
	core/guard/mac.c core/guard/mac.h core/guard/start.h \
	core/guard/mailbox.c core/guard/mailbox.h \
	core/guard/page.c core/guard/page.h \
	core/guard/pages.c core/guard/pages.h
EXTRA_DIST += core/guard/README.md
