# Findings and forms of the report.
if HAVE_CUNIT
check_PROGRAMS += tests/tools/findings/test_findings
TESTS += tests/tools/findings/test_findings
tests_tools_findings_test_findings_SOURCES = tests/tools/findings/test_findings.c tests/tracer/traces.h tests/check.h
tests_tools_findings_test_findings_CFLAGS = $(tracer_test_cflags)
tests_tools_findings_test_findings_LDADD = $(tracer_test_libs)
endif
