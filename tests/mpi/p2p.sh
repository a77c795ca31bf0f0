#!/bin/sh
# Point-to-point messages by the layer: siblings alone, rings, MPI, all of them at once; and windows of messages.
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

windows() { # RANKS NODES
    job_environment=WM_P2P_NODES=$2
    job "$1" "$build/tests/mpi/p2p_windows"
    [ $status -eq 0 ] || fail "status $status of windows of $*"
}

windows 2 1
windows 2 2
windows 5 1
windows 7 3
verdict
