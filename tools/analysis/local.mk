# What a trace says: instances, waits, attribution, delays.
libwm_report_la_SOURCES += \
	tools/analysis/totals.c tools/analysis/totals.h \
	tools/analysis/analysis.c tools/analysis/analysis.h \
	tools/analysis/conveyors.c tools/analysis/conveyors.h \
	tools/analysis/conveyors_block.c \
	tools/analysis/conveyors_follow.c \
	tools/analysis/conveyors_match.c \
	tools/analysis/conveyors_raw.h \
	tools/analysis/line_times.c tools/analysis/line_times.h \
	tools/analysis/attribution.c tools/analysis/attribution.h \
	tools/analysis/critical.c tools/analysis/critical.h \
	tools/analysis/crowd.c tools/analysis/crowd.h \
	tools/analysis/delays.c tools/analysis/delays.h \
	tools/analysis/efficiency.c tools/analysis/efficiency.h \
	tools/analysis/floors.c tools/analysis/floors.h \
	tools/analysis/history.c tools/analysis/history.h \
	tools/analysis/instance.c tools/analysis/instance.h \
	tools/analysis/line_table.c tools/analysis/line_table.h \
	tools/analysis/map_epochs.c tools/analysis/map_epochs.h \
	tools/analysis/messages.c tools/analysis/messages.h \
	tools/analysis/mismatch.c tools/analysis/mismatch.h \
	tools/analysis/nesting.c tools/analysis/nesting.h \
	tools/analysis/observer.h \
	tools/analysis/paths.c tools/analysis/paths.h \
	tools/analysis/protocols.c tools/analysis/protocols.h \
	tools/analysis/progress.c tools/analysis/progress.h \
	tools/analysis/reach.c tools/analysis/reach.h \
	tools/analysis/replay.c \
	tools/analysis/run_sort.c tools/analysis/run_sort.h \
	tools/analysis/runs.c tools/analysis/runs.h \
	tools/analysis/sizes.c \
	tools/analysis/statements.c tools/analysis/statements.h \
	tools/analysis/stuck.c tools/analysis/stuck.h \
	tools/analysis/superblocks.c tools/analysis/superblocks.h \
	tools/analysis/overhead.c tools/analysis/overhead.h \
	tools/analysis/waits.c tools/analysis/waits.h
EXTRA_DIST += tools/analysis/README.md
