# The HTML report: its parts, and the page in a browser where there is one.
TESTS += tests/tools/report/page.sh
EXTRA_DIST += tests/tools/report/page.sh tests/tools/report/page/browser.mjs tests/tools/report/page/check.mjs bench/page.mjs

if HAVE_CUNIT
check_PROGRAMS += tests/tools/report/test_page
TESTS += tests/tools/report/test_page
tests_tools_report_test_page_SOURCES = tests/tools/report/test_page.c tests/check.h
tests_tools_report_test_page_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(CUNIT_CFLAGS)
tests_tools_report_test_page_LDADD = libwm-report.la libwm-tracer.la libwm-pure.la $(JANSSON_LIBS) $(CUNIT_LIBS) -lm
endif
