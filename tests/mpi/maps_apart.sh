#!/bin/sh
# Communicators under maps of their own: which map serves which call, what is said of them, and a faulty one.
. "${srcdir:-.}/tests/mpi/job.sh"
program=$build/tests/mpi/maps_apart
mkdir "$work/here" && cd "$work/here" || exit 99
printf '(path-map (on barrier (native)))\n' >idle.scm
printf '(path-map (on allreduce (path (trace (quote sums)) (allreduce all #:shape (quote ring)))))\n' >sums.scm
printf '\n\n(path-map (on bcast (path (trace (quote down)) (bcast all))))\n' >down.scm
printf '(path-map (on bcast (path (bcast bore))))\n' >faulty.scm

holds() { # WHAT TEXT
    grep -qF -- "$2" "$output" || fail "$1: '$2' is not said"
}

# 3 rounds of 5 communicators, one more, and 20: 6 and 10 of the allreduces are under sums.scm, 7 and 10 of the bcasts under
# down.scm; the last sum is of MPI_COMM_WORLD.
run_options="-v -t trace"
if mapped idle.scm 2 "$program" "$PWD/sums.scm" "$PWD/down.scm"; then
    holds "the results" "all right"
    holds "the maps" "/idle.scm, "
    holds "the maps" "/sums.scm"
    holds "allreduces" "$(printf '%-20s %10d planned %10d native' allreduce 32 42)"
    holds "bcasts" "$(printf '%-20s %10d planned %10d native' bcast 34 38)"
    waymark report trace >"$output" 2>&1 || fail "the trace cannot be read"
    holds "the report" "sums.scm:1"
    holds "the report" "down.scm:3"
    holds "the report" "allreduce, by line of $PWD/sums.scm"
    holds "the report" "bcast, by line of $PWD/down.scm"
    waymark report trace --format json >"$output" 2>&1 || fail "the trace cannot be read"
    holds "the report" "named late"
fi
# What a freed communicator had goes to none under another map.
printf '(path-map (on allreduce ((> bytes 1MiB) (path (allreduce all))) (else (native))))\n' >large.scm
run_options=-v
mapped idle.scm 2 "$program" "$PWD/sums.scm" "$PWD/large.scm" &&
    holds "allreduces of two maps" "$(printf '%-20s %10d planned %10d native' allreduce 32 42)"
run_options=
mapped idle.scm 4 "$program" hierarchy flat && holds "shipped maps" "all right"
mapped hierarchy 3 "$program" ring && holds "beside another map" "all right"

job 2 waymark run -m idle.scm -- "$program" "$PWD/faulty.scm"
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "a faulty map: status $status"
holds "a faulty map" "/faulty.scm:1:"
holds "a faulty map" "bore"
job 2 waymark run -m idle.scm -- "$program" no-such-map
[ $status -ne 0 ] && [ $status -ne 124 ] || fail "a map that is not there: status $status"
holds "a map that is not there" "no map 'no-such-map'"
holds "a map that is not there" "the info key 'waymark_map' names this map for a duplicate of 2 ranks"
job_environment=WAYMARK_ON_ERROR=native
mapped idle.scm 2 "$program" "$PWD/faulty.scm" hierarchy && holds "native on error" "all right"
holds "native on error" "/faulty.scm:1:"
verdict
