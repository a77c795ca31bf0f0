#!/bin/sh
# Messages go as the map's rules for (protocol, near?, bytes) say.
. "${srcdir:-.}/tests/mpi/job.sh"

for rules in named:ways.scm all:ways-of-all.scm; do
    job_environment="WAYMARK_MAP=$srcdir/tests/mpi/${rules#*:}"
    job 3 "$build/tests/mpi/ways" "${rules%:*}"
    [ $status -eq 0 ] || fail "status $status under ${rules#*:}"
done

# A wrong map ends the job at its start, with its place.
refused() { # FOLDER SENTENCE
    job_environment="WAYMARK_MAP=$srcdir/tests/specs/invalid/$1/map.scm"
    job 3 "$build/tests/mpi/ways" all
    [ $status -ne 0 ] || fail "the map of $1 is taken"
    grep -q "$2" "$output" || fail "nothing says what is wrong with the map of $1"
}
refused messages-net-by-bytes "map.scm:5:32: messages of one protocol to one peer take one net"
refused messages-by-shm-across-nodes "map.scm:4:30: shared memory does not reach the ranks of other nodes"
verdict
