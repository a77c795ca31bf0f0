#!/bin/sh
# Ports: by rings, by MPI, by both.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

well() { # RANKS NODES
    job "$1" "$build/tests/mpi/port" "$2"
    [ $status -eq 124 ] && fail "HANG: $1 ranks on $2 nodes" && return
    [ $status -eq 0 ] || fail "$1 ranks on $2 nodes: status $status"
}

well 2 1
well 2 2
well 3 1
well 5 2
well 8 1
well 8 3
verdict
