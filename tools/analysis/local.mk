# What a trace says: instances, waits, attribution, delays.
libwm_report_la_SOURCES += \
	tools/analysis/accounts.c tools/analysis/accounts.h \
	tools/analysis/analysis.c tools/analysis/analysis.h \
	tools/analysis/belts.c tools/analysis/belts.h \
	tools/analysis/belts_block.c \
	tools/analysis/belts_follow.c \
	tools/analysis/belts_match.c \
	tools/analysis/belts_raw.h \
	tools/analysis/bill.c tools/analysis/bill.h \
	tools/analysis/charge.c tools/analysis/charge.h \
	tools/analysis/critical.c tools/analysis/critical.h \
	tools/analysis/delays.c tools/analysis/delays.h \
	tools/analysis/efficiency.c tools/analysis/efficiency.h \
	tools/analysis/floors.c tools/analysis/floors.h \
	tools/analysis/history.c tools/analysis/history.h \
	tools/analysis/instance.c tools/analysis/instance.h \
	tools/analysis/ledger.c tools/analysis/ledger.h \
	tools/analysis/messages.c tools/analysis/messages.h \
	tools/analysis/nesting.c tools/analysis/nesting.h \
	tools/analysis/observer.h \
	tools/analysis/paths.c tools/analysis/paths.h \
	tools/analysis/progress.c tools/analysis/progress.h \
	tools/analysis/reach.c tools/analysis/reach.h \
	tools/analysis/replay.c \
	tools/analysis/run_sort.c tools/analysis/run_sort.h \
	tools/analysis/runs.c tools/analysis/runs.h \
	tools/analysis/sizes.c \
	tools/analysis/stuck.c tools/analysis/stuck.h \
	tools/analysis/toll.c tools/analysis/toll.h \
	tools/analysis/waits.c tools/analysis/waits.h
