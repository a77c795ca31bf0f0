#!/bin/sh
# What stays native: said at the end with the reason and how often, and under -vv which rule each new call falls under.
. "${srcdir:-.}/tests/mpi/job.sh"
reasons=$build/tests/mpi/reasons
cat >"$work/map.scm" <<'MAP'
(path-map
  (on allreduce
    ((<= bytes 1KiB) (path (allreduce all)))
    ((<= bytes 8000)
     (path (trace 'middle)
           (native)))))
MAP

says() { # COUNT TEXT: the output holds the text so many times
    found=$(grep -cF -- "$2" "$output")
    [ "$found" -eq "$1" ] || fail "'$2' stands $found times in the output, not $1 times"
}

told() { # VERBOSITY: the job goes well, so loud
    run_options=$1
    mapped "$work/map.scm" 4 "$reasons"
    says 1 "results right"
}

told ""
says 0 "waymark: "

told -v
says 1 "  20 planned         32 native"
says 1 " 20 native: no rule of the map held"
says 1 " 4 native: its rule's path ends in (native) at line 6"
says 1 " 8 native: on an intercommunicator, which no path serves"
says 2 " native: the map has no rules for it"
says 0 "stayed native, although"
says 0 "did not hold"

told -vv
says 1 "waymark: allreduce of 4 bytes, on MPI_COMM_WORLD: 4 ranks on 1 node"
says 1 "waymark: allreduce of 4000 bytes, on MPI_COMM_WORLD: 4 ranks on 1 node"
says 1 "waymark: allreduce of 16000 bytes, on MPI_COMM_WORLD: 4 ranks on 1 node"
says 1 "line 4: (<= bytes 8000) holds: bytes is 4000"
says 1 "line 4: (<= bytes 8000) did not hold: bytes is 16000"
says 1 "no rule holds, so the call stays native"
# Two halves, twice, of which each rank 0 asks: a process says it once.
says 2 "waymark: allreduce of 40 bytes, on a communicator without a name: 2 ranks on 1 node"

# Where there is nothing against the map's wish, nothing is said.
printf '(path-map (on barrier (path (native))) (on scan ((> ranks 100) (native))))\n' >"$work/map.scm"
told ""
says 0 "waymark: "
printf '(path-map (on scan ((> ranks 100) (native))))\n' >"$work/map.scm"
told ""
says 0 "waymark: "

# Calls that a rule leaves to the library take nothing from those that another rule plans.
cat >"$work/map.scm" <<'MAP'
(path-map (on allreduce ((<= bytes 8) (path (native))) (else (path (reduce all #:shape 'binomial)))))
MAP
run_options=""
mapped "$work/map.scm" 4 "$reasons" late
says 1 "the last rank combined 0 times"
mapped native 4 "$reasons" late
says 0 "combined 0 times"

# The map's fault shows after the start; the operation runs natively, and the end says how often, unless it is to end the
# job.
cat >"$work/map.scm" <<'MAP'
(path-map (on allreduce ((= ranks 2) (error "not for two")) (else (path (allreduce all)))))
MAP
told ""
says 2 "what this concerns runs natively; WAYMARK_ON_ERROR=abort ends the job instead"
says 1 "16 calls of allreduce stayed native"
says 1 "the map failed when it was asked"
job_environment=WAYMARK_ON_ERROR=abort
job 4 waymark run -m "$work/map.scm" -- "$reasons"
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "WAYMARK_ON_ERROR=abort: status $status"
verdict
