#!/bin/sh
# Control of the recording: levels switched at random leave nothing half recorded, windows hold on all ranks alike, marks
# stand where the program set them, waits begin and end when they did.
. "${srcdir:-.}/tests/mpi/job.sh"
control=$build/tests/mpi/control
limit=60
maps=$srcdir/tests/mpi/maps
cat >"$work/planned.scm" <<'MAP'
(path-map
  (on barrier (path (trace 'outer) (barrier all)))
  (on bcast (path (trace 'outer) (bcast all)))
  (on allreduce (path (trace 'outer) (trace 'inner) (reduce all #:shape 'chain))))
MAP
cat >"$work/library.scm" <<'MAP'
(path-map
  (on (barrier allreduce) (path (trace 'outer) (trace 'inner) (native))))
MAP

look() { # WHAT: the trace of the last job, in $output
    "$build/tests/mpi/control_look" "$work/trace" "$@" >"$output" 2>&1 || fail "no trace of $about"
}

same() { # EXPECTED: what the output is
    [ "$(cat "$output")" = "$1" ] || fail "$about: not what was expected: $1"
}

traced() { # MAP RANKS WORD ...
    about="$*"
    run_options="-t $work/trace --mode full"
    map=$1 count=$2
    shift 2
    mapped "$map" "$count" "$@"
}

# Whatever began has ended; something was recorded, and something was not.
whole() {
    look
    [ "$(grep -c ' open 0 ' "$output")" -eq "$ranks" ] || fail "$about: calls are half recorded"
}

switch_at_random() { # MAP RANKS SEED
    traced "$1" "$2" "$control" random "$3" 60 && whole
    grep -q ' levels .*0.*2' "$output" || fail "$about: the level was not switched"
    [ "$1" != "$maps/choices.scm" ] && grep -q ' waits 0 ' "$output" && fail "$about: no wait was recorded"
    waymark report "$work/trace" >"$output" 2>&1 || fail "$about: no report"
    grep -qi 'stuck\|in flight' "$output" && fail "$about: the report says that calls are stuck"
}
switch_at_random "$work/planned.scm" 1 1
switch_at_random "$work/planned.scm" 4 2
switch_at_random "$work/library.scm" 2 1
switch_at_random "$work/library.scm" 4 2
switch_at_random "$maps/choices.scm" 4 1
switch_at_random hierarchy 4 1

# Without a map every call is the library's, in no wrapper.
run_options="-t $work/trace --mode full"
about="no map"
job_environment="WAYMARK_TRACE=$work/trace WAYMARK_TRACE_MODE=full LD_PRELOAD=$WAYMARK_PRELOAD"
[ -n "$LD_PRELOAD_FIRST" ] || { job 3 "$control" random 3 60; whole; }

# Nothing is recorded until a watcher asks for it; then by each rank from its next call on.
job_environment="WAYMARK_TRACE_LEVEL=off"
traced "$work/planned.scm" 2 "$control" asked 10 "waymark top --once --level calls $work/trace >$work/top"
look
[ "$(grep -c 'open 0 waits 5 enters 2[56] details 0 marks 0 levels 0 1$' "$output")" -eq 2 ] || fail "a level that is asked for"
[ "$(grep -c "not recording; --level calls asks it to$" "$work/top")" -eq 2 ] || fail "what top shows of a rank that records nothing: $(cat "$work/top")"

# Levels by the environment.
for level in calls detail; do
    job_environment="WAYMARK_TRACE_LEVEL=$level"
    traced "$work/planned.scm" 2 "$control" window 10
    look
    case $level in
    calls) [ "$(grep -c 'open 0 waits 5 enters 25 details 0 marks 0 levels 1$' "$output")" -eq 2 ] || fail "level calls" ;;
    detail) [ "$(grep -c 'open 0 waits 5 enters 25 details [1-9].* levels$' "$output")" -eq 2 ] || fail "level detail" ;;
    esac
done

job_environment=

# Persistent calls, planned and the library's: each start is a call.
if [ -n "$(sh "$srcdir/tests/mpi/doors_persistent.sh")" ]; then
    for map in "$work/planned.scm" "$work/library.scm"; do
        traced "$map" 3 "$control" persistent 6 && look calls
        [ "$(grep -c ': 1 3 4 5 6$' "$output")" -eq 3 ] || fail "$about: other starts"
        look
        [ "$(grep -c ' open 0 waits 5 ' "$output")" -eq 3 ] || fail "$about: other waits"
    done
fi

# Windows by number, of each communicator; all ranks see the same calls.
for window in 3-5 8- -1 0- 7-7; do
    job_environment="WAYMARK_TRACE_CALLS=$window"
    traced "$work/planned.scm" 3 "$control" window 10
    look calls
    case $window in
    3-5) first=" 3 4 5" second=" 3 4" ;;
    8-) first=" 8 9" second= ;;
    -1) first=" 0 1" second=" 0 1" ;;
    0-) first=" 0 1 2 3 4 5 6 7 8 9" second=" 0 1 2 3 4" ;;
    7-7) first=" 7" second= ;;
    esac
    [ "$(grep -c "^rank . communicator [0-9]*:$first\$" "$output")" -ge 3 ] || fail "window $window on the world"
    lines=3
    [ -z "$second" ] || { lines=6; [ "$(grep -c "^rank . communicator [0-9]*:$second\$" "$output")" -ge 3 ] || fail "window $window on a duplicate"; }
    [ "$(wc -l <"$output")" -eq $lines ] || fail "window $window: other calls"
    look
    [ "$(grep -c ' open 0 ' "$output")" -eq 3 ] || fail "window $window: calls are half recorded"
done

# Windows of time: one that is over before it begins, one that never comes, one that is always.
for window in 1000- -1000 0-0; do
    job_environment="WAYMARK_TRACE_TIME=$window WAYMARK_TRACE_CALLS=0-8"
    traced "$work/planned.scm" 2 "$control" window 10
    look calls
    case $window in
    -1000) [ "$(grep -c ': 0 1 2 3 4 5 6 7 8$' "$output")" -eq 2 ] || fail "a window of all times and some calls" ;;
    *) [ ! -s "$output" ] || fail "a window of time in which nothing is" ;;
    esac
done

# Wrong values.
for wrong in "WAYMARK_TRACE_LEVEL=all|'off', 'calls' or 'detail'" "WAYMARK_TRACE_CALLS=9-3|numbers of calls such as 100-199, 100- or -199" \
    "WAYMARK_TRACE_CALLS=1-2-3|numbers of calls" "WAYMARK_TRACE_CALLS=-|numbers of calls" "WAYMARK_TRACE_CALLS=1.5-2|numbers of calls" \
    "WAYMARK_TRACE_TIME=soon|seconds since MPI_Init such as 1.5-20, 60- or -60" "WAYMARK_TRACE_TIME=1e3-|seconds since MPI_Init"; do
    job_environment=${wrong%%|*}
    job 2 waymark run -m "$work/planned.scm" -t "$work/trace" -- "$control" window 1
    [ $status -ne 0 ] && [ "$(grep -c "^waymark: ${job_environment%%=*} is '.*', but must be ${wrong#*|}" "$output")" -eq 1 ] ||
        fail "$job_environment is not refused"
done
job_environment=

# Marks, between the calls where they were set; and without the library.
long=$(printf '%0127d' 0 | tr 0 x)
sed -i "s/(trace 'inner) //" "$work/planned.scm"
traced "$work/planned.scm" 2 "$control" marks
grep -q '^marks: loaded' "$output" || fail "marks are not recorded"
look marks
same "mark before the first
call 0
mark after call 0
mark again
call 1
mark after call 1
mark again
call 2
mark after call 2
mark again
mark $long
mark ??
mark at last"
job 2 "$control" marks
[ $status -eq 0 ] && [ "$(grep -c '^marks: not loaded' "$output")" -eq 2 ] || fail "marks in a program without Waymark"
traced "$work/planned.scm" 2 "$control" threads && look
[ "$(grep -c ' marks 1200 ' "$output")" -eq 2 ] || fail "marks of threads"

# Overlap: a planned call is over before it is waited for, or when rank 0 comes; the library's own is when a wait says so.
for map in "$work/planned.scm" "$work/library.scm"; do
    case $map in
    */planned.scm) begins="after the call,in the call," ;;
    *) begins="in the call,in the call," ;;
    esac
    traced "$map" 2 "$control" overlap && look waits
    [ "$(sed -n 's/^rank 1 .* begins //p' "$output" | tr '\n' ',')" = "$begins" ] || fail "$about: not $begins at rank 1"
    [ "$(grep -c '^rank 0 ' "$output")" -eq 2 ] || fail "$about: rank 0 has not waited twice"
done

# Fortran: 8 rounds of 3 calls; the third and fourth are not recorded.
for program in control_mpif control_usempi control_f08; do
    [ -x "$build/tests/mpi/$program" ] || continue
    for map in "$work/planned.scm" "$work/library.scm"; do
        traced "$map" 3 "$build/tests/mpi/$program" || continue
        grep -q 'wrong' "$output" && fail "$about: wrong results"
        whole
        [ "$(grep -c ' waits 18 .* levels 0 1 2$' "$output")" -eq 3 ] || fail "$about: not all waits"
    done
done
verdict
