# Tables, units and output.
libwm_report_la_SOURCES += \
	tools/text/output.c tools/text/output.h \
	tools/text/share_line.c tools/text/share_line.h \
	tools/text/sizes.c tools/text/sizes.h \
	tools/text/spread.c tools/text/spread.h \
	tools/text/table.c tools/text/table.h \
	tools/text/units.c tools/text/units.h
EXTRA_DIST += tools/text/README.md
