# Findings and forms of the report.
if HAVE_CUNIT
check_PROGRAMS += tests/tools/findings/test_findings
TESTS += tests/tools/findings/test_findings
endif
