#!/bin/sh
# Random messages through the memory of a node, at 2 to 8 ranks, with single copies and where they are forbidden.
. "${srcdir:-.}/tests/mpi/job.sh"
messages=$build/tests/mpi/messages
forbidding=$build/.libs/libwm-forbidding-test.so
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}:verify_asan_link_order=0
export ASAN_OPTIONS

arrive() { # RANKS WORD ...
    job "$@"
    [ $status -ne 124 ] || { fail "HANG: $*"; return; }
    [ $status -eq 0 ] || fail "status $status of $*"
}

for ranks in 3 5 8; do
    arrive $ranks "$messages" 1 $ranks
done
arrive 2 env OMPI_MCA_mpi_yield_when_idle=0 "$messages" 1 2 # as where each rank has a processor
arrive 4 "$messages" 2 4
arrive 6 "$messages" 2 5
arrive 3 env "LD_PRELOAD=$forbidding" FORBIDDEN=process_vm_readv "$messages" 1 6
verdict
