#!/bin/sh
# Random statements at 1 to 8 ranks, under no map and two; at 5 ranks and a map that serves operations calls are of all
# kinds.
. "${srcdir:-.}/tests/mpi/job.sh"
random=$build/tests/mpi/communicate_random

well() { # RANKS OPTION ...
    ranks=$1
    shift
    job $ranks "$random" --seed 1 "$@"
    [ $status -eq 0 ] || fail "status $status at $ranks ranks"
}
well 1 --statements 150
well 2 --statements 150
well 3 --statements 150
well 5 --statements 1 --seed 1726 # both ends know, then senders alone, and what is stable is touched
well 8 --statements 120
mapped fast 5 "$random" --statements 500 --seed 1 --all
cat >"$work/conveyors.scm" <<'end'
(path-map
  (on statement
    ((string=? knowledge "receiver") (path (via messages) (remote 'mpi #:rendezvous 'all)))
    (else (path (via conveyor)))))
end
mapped "$work/conveyors.scm" 3 "$random" --statements 150 --seed 2
grep -q ' calls, [1-9][0-9]* of them by MPI;' "$output" || fail "remote is not heeded"
verdict
