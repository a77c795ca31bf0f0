#!/bin/sh
# What a delay holds, by a clock that the test sets; and results under maps that delay, of which the manual speaks.
. "${srcdir:-.}/tests/mpi/job.sh"
for ranks in 2 4; do
    job $ranks "$build/tests/mpi/delay"
    [ $status -eq 0 ] || fail "delay on $ranks ranks: status $status"
done

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
    job 2 waymark run --subranks $each -m "$work/slow.scm" -- "$work/rod"
    [ $status -eq 0 ] && grep -q "^$((2 * each)) ranks, 0 wrong, heat right$" "$output" || fail "$each subranks under a delay"
done
refused() { # SENTENCE WORD ...
    sentence=$1
    shift
    job 1 waymark run "$@" -- "$work/rod"
    [ $status -ne 0 ] && grep -q "$sentence" "$output" || fail "not told: $sentence"
}
refused 'subranks are not traced' --subranks 1 -m "$work/slow.scm" -t "$work/trace"
sed 's/axis process #:mbit/axis all #:mbit/' "$work/slow.scm" >"$work/siblings.scm"
refused "siblings.scm:3:22: 'delay' cannot hold messages between subranks of a process" \
    --subranks 2 -m "$work/siblings.scm"
verdict
