#!/bin/sh
# Messages on several hosts: within a host by its memory, between hosts by MPI over TCP; the model, the layer of MPI's
# protocol, ports, statements, and a rank that is killed.
. "${srcdir:-.}/tests/lab/lab.inc.sh"
sh "$lab" up --dir "$hosts" --clusters 2 --hosts 2 --delay-ms 0.2 --life 600 || exit
forwarded="$forwarded -x WM_P2P_NODES"

well() { # PROGRAM WORD ...
    program=$1
    shift
    job "$ranks_placed" "$build/tests/mpi/$program" "$@"
    [ $status -ne 124 ] || { fail "HANG: $program $*, $placement"; return; }
    [ $status -eq 0 ] || fail "status $status of $program $*, $placement"
}

WM_P2P_NODES=0
export WM_P2P_NODES
placed 2,2,2,2 crossing
well wire_model 0 1 80
well wire 0 1 10
well p2p 0 1
well port 0 4096
placed 1,2,1,0 block
well wire_model 0 2 80
placed 1,2,1,3 cyclic
well p2p_windows
well port 0 2
well communicate

# Rank 1 is killed: nobody waits for it for long, on its host or on another.
limit=20
placed 2,2,2,2 crossing
job "$ranks_placed" "$build/tests/mpi/lost"
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "a rank is killed: status $status"
grep -q "rank 1 .*exited on signal 9" "$output" || fail "a rank is killed: nobody says so"
verdict
