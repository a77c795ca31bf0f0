# waymark report: the analysis and its page, linked into waymark and into its test.
noinst_LTLIBRARIES += libwm-report.la
libwm_report_la_SOURCES = \
	tools/accounts.c tools/accounts.h \
	tools/analysis.c tools/analysis.h \
	tools/belts.c tools/belts.h tools/belts_raw.h \
	tools/belts_block.c tools/belts_follow.c tools/belts_match.c \
	tools/belts_advice.c tools/belts_text.c tools/belts_text.h \
	tools/bill.c tools/bill.h \
	tools/charge.c tools/charge.h \
	tools/critical.c tools/critical.h \
	tools/delays.c tools/delays.h \
	tools/diff/bootstrap.c tools/diff/bootstrap.h \
	tools/diff/compare.c tools/diff/compare.h \
	tools/diff/json.c tools/diff/show.h \
	tools/diff/sample.c tools/diff/sample.h \
	tools/diff/text.c tools/diff/words.c \
	tools/efficiency.c tools/efficiency.h \
	tools/findings.c tools/findings.h \
	tools/floors.c tools/floors.h \
	tools/history.c tools/history.h \
	tools/instance.c tools/instance.h \
	tools/ledger.c tools/ledger.h \
	tools/messages.c tools/messages.h \
	tools/nesting.c tools/nesting.h \
	tools/observer.h \
	tools/paths.c tools/paths.h \
	tools/reach.c tools/reach.h \
	tools/replay.c \
	tools/report.c tools/report.h \
	tools/report_text.c \
	tools/run_sort.c tools/run_sort.h \
	tools/runs.c tools/runs.h \
	tools/sizes.c \
	tools/spread.c tools/spread.h \
	tools/stuck.c tools/stuck.h \
	tools/table.c tools/table.h \
	tools/toll.c tools/toll.h \
	tools/top/frame.c tools/top/frame.h \
	tools/top/page.c tools/top/page.h tools/top/words.c \
	tools/units.c tools/units.h \
	tools/vector.h \
	tools/waits.c tools/waits.h
libwm_report_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libwm_report_la_LIBADD = libwm-tracer.la
# What the report says, and in which form.
libwm_report_la_SOURCES += \
	tools/facts.c tools/facts.h \
	tools/finding.c tools/finding.h \
	tools/finding_blame.c tools/finding_call.c tools/finding_eager.c tools/finding_end.c tools/finding_far.c \
	tools/finding_late.c tools/finding_stage.c \
	tools/map_text.c tools/map_text.h \
	tools/output.c tools/output.h \
	tools/places.c \
	tools/progress.c tools/progress.h \
	tools/report_calls.c tools/report_ends.c tools/report_facts.c tools/report_lines.c tools/report_spreads.c \
	tools/report_json.c tools/report_json.h \
	tools/report_json_belts.c tools/report_json_ends.c tools/report_json_lines.c tools/report_json_values.c \
	tools/report_parts.h
