#!/bin/sh
# Messages go as the map's rules for (protocol, near?, bytes) say.
. "${srcdir:-.}/tests/mpi/job.sh"

for rules in named:ways.scm all:ways-of-all.scm; do
    job_environment="WAYMARK_MAP=$srcdir/tests/mpi/${rules#*:}"
    job 3 "$build/tests/mpi/ways" "${rules%:*}"
    [ $status -eq 0 ] || fail "status $status under ${rules#*:}"
done
verdict
