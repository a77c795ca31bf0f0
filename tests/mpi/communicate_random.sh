#!/bin/sh
# Random statements at 1 to 8 ranks, under no map and one; calls are of all kinds.
. "${srcdir:-.}/tests/mpi/job.sh"
random=$build/tests/mpi/communicate_random

for ranks in 1 2 3 5; do
    job $ranks "$random" --statements 200 --seed ${ranks}000
    [ $status -eq 0 ] || fail "status $status at $ranks ranks"
done
job 8 "$random" --all --statements 300 --seed 6000
[ $status -eq 0 ] || fail "status $status at 8 ranks"
mapped fast 4 "$random" --statements 200 --seed 4000
verdict
