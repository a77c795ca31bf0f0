# waymark report: the analysis and its page, linked into waymark and into its test.
noinst_LTLIBRARIES += libwm-report.la
libwm_report_la_SOURCES = \
	tools/accounts.c tools/accounts.h \
	tools/analysis.c tools/analysis.h \
	tools/belts.c tools/belts.h tools/belts_raw.h \
	tools/belts_block.c tools/belts_follow.c tools/belts_match.c \
	tools/belts_advice.c tools/belts_text.c tools/belts_text.h \
	tools/charge.c tools/charge.h \
	tools/critical.h \
	tools/diff/bootstrap.c tools/diff/bootstrap.h \
	tools/diff/compare.c tools/diff/compare.h \
	tools/diff/json.c tools/diff/show.h \
	tools/diff/sample.c tools/diff/sample.h \
	tools/diff/text.c tools/diff/words.c \
	tools/findings.c tools/findings.h \
	tools/instance.c tools/instance.h \
	tools/ledger.c tools/ledger.h \
	tools/observer.h \
	tools/report.c tools/report.h \
	tools/report_text.c \
	tools/spread.c tools/spread.h \
	tools/stuck.c tools/stuck.h \
	tools/table.c tools/table.h \
	tools/top/frame.c tools/top/frame.h \
	tools/top/page.c tools/top/page.h tools/top/words.c \
	tools/units.c tools/units.h \
	tools/vector.h \
	tools/waits.c tools/waits.h
libwm_report_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libwm_report_la_LIBADD = libwm-tracer.la
