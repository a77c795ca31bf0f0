# waymark report --format html: the page, part of the report's library.
libwm_report_la_SOURCES += \
	tools/page_bytes.c tools/page_bytes.h \
	tools/page_data.c tools/page_data.h \
	tools/page_drawing.c \
	tools/page_instances.c tools/page_instances.h \
	tools/page_lateness.c tools/page_lateness.h \
	tools/page_lateness_print.c \
	tools/page_text.h \
	tools/page_timeline.c tools/page_timeline.h \
	tools/report_html.c tools/report_html.h
libwm_report_la_LIBADD += -lm

# Its text, from files under tools/page/, whose scripts become one in this order.
page_template = tools/page/page.html tools/page/page.css
page_scripts = \
	tools/page/units.js tools/page/elements.js tools/page/data.js tools/page/state.js \
	tools/page/tips.js tools/page/tables.js tools/page/verdict.js tools/page/source.js tools/page/path.js \
	tools/page/canvas.js tools/page/heatmap.js tools/page/instances.js tools/page/timeline.js \
	tools/page/delays.js tools/page/conveyors.js tools/page/footer.js tools/page/keys.js tools/page/main.js
nodist_libwm_report_la_SOURCES = tools/page_text.c
BUILT_SOURCES += tools/page_text.c
CLEANFILES += tools/page_text.c
EXTRA_DIST += tools/page/embed $(page_template) $(page_scripts)
tools/page_text.c: tools/page/embed $(page_template) $(page_scripts)
	$(AM_V_GEN)$(MKDIR_P) tools && (cd $(srcdir) && $(SHELL) tools/page/embed $(page_template) $(page_scripts)) >$@.tmp && \
	mv $@.tmp $@
dist_doc_DATA += docs/page.md
