#!/bin/sh
# What a delay holds, by a clock that the test sets; and results under maps that delay, of which the manual speaks.
. "${srcdir:-.}/tests/mpi/job.sh"
for ranks in 2 4; do
    job $ranks "$build/tests/mpi/delay"
    [ $status -eq 0 ] || fail "delay on $ranks ranks: status $status"
done

# That a network is emulated is said, in the report of a trace as well.
cat >"$work/pairs.scm" <<'MAP'
(path-map
  #:grid '(half (core 2))
  (on allreduce (path (trace) (delay 50us #:axis half #:jitter 20% #:seed 4) (allreduce all))))
MAP
run_options="-v -t $work/trace"
mapped "$work/pairs.scm" 4 "$build/tests/mpi/collectives" 1 5
grep -q "a slow network is emulated for allreduce, by line 3 of .*pairs.scm: 50us, jitter 20% by seed 4, across half" "$output" ||
    fail "the job says nothing of its network"
run_options=
waymark report "$work/trace" >"$output" 2>&1
grep -q "a slow network was emulated for allreduce: (delay 50us #:axis half #:jitter 20% #:seed 4) at line 3" "$output" ||
    fail "the report says nothing of the network"

# Subranks, of which one is run as several are, so that its messages are held, too.
waymark cc -O1 -o "$work/rod" "$srcdir/tests/mpi/subrank_program.c" -lm || fail "waymark cc"
cat >"$work/slow.scm" <<'MAP'
(path-map
  #:grid '(process sibling)
  (on messages (path (delay 50us #:axis process #:mbit 8000 #:jitter 50%)))
  (on allreduce (path (delay 50us #:axis process) (reduce sibling) (allreduce process)))
  (on barrier (path (delay 50us #:axis process) (barrier all))))
MAP
for each in 1 3; do
    job 2 waymark run --subranks $each -m "$work/slow.scm" -t "$work/trace" -- "$work/rod"
    [ $status -eq 0 ] && grep -q "^$((2 * each)) ranks, 0 wrong, heat right$" "$output" || fail "$each subranks under a delay"
    waymark report "$work/trace" >"$output" 2>&1
    grep -q "^rod: $((2 * each)) ranks, $each in each of 2 processes, " "$output" &&
        grep -q '^a slow network was emulated for messages: (delay ' "$output" || fail "the trace of $each subranks under a delay"
done
refused() { # SENTENCE WORD ...
    sentence=$1
    shift
    job 1 waymark run "$@" -- "$work/rod"
    [ $status -ne 0 ] && grep -q "$sentence" "$output" || fail "not told: $sentence"
}
sed 's/axis process #:mbit/axis all #:mbit/' "$work/slow.scm" >"$work/siblings.scm"
refused "siblings.scm:3:22: 'delay' cannot hold messages between subranks of a process" \
    --subranks 2 -m "$work/siblings.scm"
verdict
