#!/bin/sh
# Ports: by rings, by MPI, by both.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

well() { # RANKS NODES EAGER
    job "$1" "$build/tests/mpi/port" "$2" "$3"
    [ $status -eq 124 ] && fail "HANG: $*" && return
    [ $status -eq 0 ] || fail "$*: status $status"
}

well 2 1 4096
well 2 2 4096
well 3 1 4096
well 5 2 2
well 8 1 2
well 8 3 4096

# A host that waits in collectives of the map serves its ports.
mapped fast 4 "$build/tests/mpi/port" 1 4096
verdict
