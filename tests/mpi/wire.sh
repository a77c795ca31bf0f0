#!/bin/sh
# Messages between processes: by rings, by MPI, by both; on two processors, that of many ranks too.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=100

well() { # RANKS WORD ...
    job "$@"
    [ $status -eq 0 ] || fail "status $status of $*"
}

# RANKS NODES EACH STEPS, RANKS NODES EACH LETTERS
model=$build/tests/mpi/wire_model free=$build/tests/mpi/wire
well 2 "$model" 1 2 3000
well 3 "$model" 2 2 2000
well 4 "$model" 4 1 1500
well 8 "$model" 2 1 800
well 2 "$free" 1 1 150
well 2 "$free" 2 1 100
well 4 "$free" 2 2 25
well 8 "$free" 1 1 15

# Three threads at each endpoint.
threads=$build/tests/mpi/message_threads
well 1 "$threads" 1 3 30
well 2 "$threads" 1 1 100
well 2 "$threads" 2 2 20
well 5 "$threads" 3 1 10

# A rank that dies: mpirun itself is to leave the others alone.
mpirun="$mpirun --enable-recovery" limit=20
for ranks in 2 3; do
    job $ranks "$build/tests/mpi/lost"
    [ $status -ne 124 ] || fail "HANG: $ranks ranks, one is killed"
    grep -q "rank 1 (process [0-9]*) has ended, and rank [02] still waits" "$output" || fail "$ranks ranks: nobody says that rank 1 has ended"
done
verdict
