#!/bin/sh
# MPI among subranks: every function of the table, alone, between processes, and its refusals.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60

well() { # PROCESSES EACH
    job "$1" "$build/tests/mpi/subrank" "$2"
    [ $status -eq 0 ] || fail "status $status of $*"
}

well 1 1
well 1 5
well 2 1
well 2 4

ends() { # FAULT SENTENCE
    job 1 "$build/tests/mpi/subrank" 2 "$1"
    [ $status -ne 0 ] || fail "fault $1 goes unseen"
    grep -q "waymark: subrank 1, $2" "$output" || fail "fault $1 is not said"
}

ends window 'MPI_Win_create: subranks do not have it; run the program with --subranks 1'
ends rank 'MPI_Send: MPI_ERR_RANK'
ends handle 'MPI_Send: MPI_ERR_COMM'
ends twice 'MPI_Init: MPI_Init has been called before'
verdict
