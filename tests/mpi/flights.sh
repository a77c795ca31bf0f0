#!/bin/sh
# Several plans in flight on one engine, at 1 to 5 ranks.
. "${srcdir:-.}/tests/mpi/job.sh"
for ranks in 1 2 3 4 5; do
    job $ranks "$build/tests/mpi/flights"
    [ $status -eq 0 ] || fail "flights on $ranks ranks: status $status"
done
verdict
