#!/bin/sh
# Faults that a map makes: messages lost or changed, ranks stopped or killed; and that they are said.
. "${srcdir:-.}/tests/mpi/job.sh"
program=$build/tests/mpi/made_faults

broken() { # RANKS MODE FAULT: a job under it; what it says of the fault is removed from its output
    echo "(path-map #:faults #t (on allreduce (path (trace) $3 (allreduce all #:shape 'ring)))
        (on bcast (path (bcast all))))" >"$work/map.scm"
    job "$1" waymark run -m "$work/map.scm" $run_options -- "$program" "$2"
    grep -qF "waymark: faults are made for allreduce, by line 1 of $work/map.scm: ${3}" "$output" ||
        fail "$3: the job does not say that faults are made"
    sed -i '/^waymark: faults are made/d' "$output"
}

# The same bits are changed in each run; without a share of messages, none.
run_options="-t $work/trace"
broken 2 count '(flip 10% #:seed 7)'
sort "$output" >"$work/first"
grep -q '^rank 0: [1-9][0-9]* of 800 wrong$' "$work/first" || fail "nothing is wrong, though bits are changed"
waymark report "$work/trace" >"$output" 2>&1
grep -qF 'faults were made for allreduce: (flip 10% #:seed 7) at line 1 of the map' "$output" ||
    fail "the report says nothing of the faults"
run_options=
broken 2 count '(flip 10% #:seed 7)'
sort "$output" | cmp -s - "$work/first" || fail "other messages are changed in the second run"
broken 2 count '(flip 0%)'
[ "$(grep -c ': 0 of 800 wrong$' "$output")" -eq 2 ] || fail "(flip 0%) changes something"

broken 2 lost '(lose 100%)'
[ $status -eq 3 ] && [ "$(grep -c ': lost$' "$output")" -eq 2 ] || fail "(lose 100%): status $status"

broken 2 count '(kill-rank 1 #:after 20)'
[ $status -ne 0 ] && grep -q '^waymark: rank 1 (process [0-9]*) is killed at call 20, as line 1 of the map says$' "$output" ||
    fail "kill-rank: status $status"
broken 2 stopped '(stop-rank 1 #:after 1)'
[ $status -eq 0 ] && [ "$(grep -c ': 0 wrong$' "$output")" -eq 2 ] || fail "stop-rank: status $status"
broken 2 count '(kill-rank 2)'
[ $status -eq 0 ] || fail "kill-rank of a rank that there is not: status $status"
verdict
