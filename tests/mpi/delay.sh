#!/bin/sh
# What a delay holds, by a clock that the test sets; and results under maps that delay, of which the manual speaks.
. "${srcdir:-.}/tests/mpi/job.sh"
for ranks in 2 4; do
    job $ranks "$build/tests/mpi/delay"
    [ $status -eq 0 ] || fail "delay on $ranks ranks: status $status"
done
verdict
