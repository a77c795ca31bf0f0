# Findings and forms of the report.
if HAVE_CUNIT
check_PROGRAMS += tests/tracer/test_findings
TESTS += tests/tracer/test_findings
tests_tracer_test_findings_SOURCES = tests/tracer/test_findings.c tests/tracer/traces.h tests/check.h
tests_tracer_test_findings_CFLAGS = $(tracer_test_cflags)
tests_tracer_test_findings_LDADD = $(tracer_test_libs)
endif
