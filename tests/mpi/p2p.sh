#!/bin/sh
# Point-to-point messages by the layer: siblings alone, rings, MPI, all of them at once.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=100

well() { # RANKS NODES EACH
    job "$1" "$build/tests/mpi/p2p" "$2" "$3"
    [ $status -eq 0 ] || fail "status $status of $*"
}

well 1 1 1
well 1 1 4
well 2 1 1
well 2 2 1
well 3 1 1
well 4 2 2
well 8 2 1
verdict
