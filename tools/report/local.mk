# waymark report: text, JSON, and the page.
libwm_report_la_SOURCES += \
	tools/report/html.c tools/report/html.h \
	tools/report/json.c tools/report/json.h \
	tools/report/json_conveyors.c \
	tools/report/json_ends.c \
	tools/report/json_lines.c \
	tools/report/json_protocols.c \
	tools/report/json_run.c \
	tools/report/json_statements.c \
	tools/report/json_superblocks.c \
	tools/report/json_values.c \
	tools/report/page_bytes.c tools/report/page_bytes.h \
	tools/report/page_data.c tools/report/page_data.h \
	tools/report/page_drawing.c \
	tools/report/page_instances.c tools/report/page_instances.h \
	tools/report/page_lateness.c tools/report/page_lateness.h \
	tools/report/page_lateness_print.c \
	tools/report/page_regions.c tools/report/page_regions.h \
	tools/report/page_text.h \
	tools/report/page_timeline.c tools/report/page_timeline.h \
	tools/report/report.c tools/report/report.h \
	tools/report/text.c tools/report/text.h \
	tools/report/text_calls.c \
	tools/report/text_conveyors.c \
	tools/report/text_ends.c \
	tools/report/text_facts.c \
	tools/report/text_lines.c \
	tools/report/text_protocols.c \
	tools/report/text_statements.c \
	tools/report/text_superblocks.c \
	tools/report/text_table.c \
	tools/report/text_under.c \
	tools/report/warnings.c

waymark_SOURCES += \
	tools/report/command.c \
	tools/report/under.c tools/report/under.h

# The page's text, from files under tools/report/page/, whose scripts become one in this order.
page_template = tools/report/page/page.html tools/report/page/page.css
page_scripts = \
	tools/report/page/units.js tools/report/page/elements.js tools/report/page/data.js tools/report/page/state.js \
	tools/report/page/tips.js tools/report/page/tables.js tools/report/page/verdict.js tools/report/page/source.js \
	tools/report/page/path.js tools/report/page/canvas.js tools/report/page/heatmap.js tools/report/page/instances.js \
	tools/report/page/timeline.js tools/report/page/delays.js tools/report/page/conveyors.js tools/report/page/under.js tools/report/page/footer.js \
	tools/report/page/keys.js tools/report/page/main.js
nodist_libwm_report_la_SOURCES = tools/report/page_text.c
BUILT_SOURCES += tools/report/page_text.c
CLEANFILES += tools/report/page_text.c
EXTRA_DIST += tools/report/page/embed $(page_template) $(page_scripts)
tools/report/page_text.c: tools/report/page/embed $(page_template) $(page_scripts)
	$(AM_V_GEN)$(MKDIR_P) tools/report && \
	(cd $(srcdir) && $(SHELL) tools/report/page/embed $(page_template) $(page_scripts)) >$@.tmp && mv $@.tmp $@
EXTRA_DIST += tools/report/README.md
