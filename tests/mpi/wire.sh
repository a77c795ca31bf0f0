#!/bin/sh
# Messages between processes: by rings, by MPI, by both; on two processors, that of many ranks too.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=100

well() { # RANKS WORD ...
    job "$@"
    [ $status -eq 0 ] || fail "status $status of $*"
}

model=$build/tests/mpi/wire_model
well 2 "$model" 1 2 1500
well 2 "$model" 2 2 700
well 4 "$model" 2 1 700
verdict
