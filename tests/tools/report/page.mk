# The HTML report: its parts, and the page in a browser where there is one.
TESTS += tests/tools/report/page.sh
EXTRA_DIST += tests/tools/report/page.sh tests/tools/report/page/browser.mjs tests/tools/report/page/check.mjs bench/page.mjs

if HAVE_CUNIT
check_PROGRAMS += tests/tools/report/test_page
TESTS += tests/tools/report/test_page
endif
