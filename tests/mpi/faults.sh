#!/bin/sh
# What must not go wrong when something goes wrong: bad maps, dead servers and ranks, programs with manners of their own.
. "${srcdir:-.}/tests/mpi/job.sh"
faulty=$build/tests/mpi/faulty
invalid=$srcdir/tests/specs/invalid
token=faults-$$
job_environment=FAULTS_JOB=$token
limit=60
mkdir "$work/empty" && cd "$work/empty" || exit 99

says() { # COUNT TEXT: the output holds the text so many times
    found=$(grep -cF -- "$2" "$output")
    [ "$found" -eq "$1" ] || fail "'$2' stands $found times in the output of 4 ranks, not $1 times"
}

ends_badly() { # SENTENCE: once
    [ $status -ne 0 ] || fail "the job succeeds, but should say: $1"
    [ $status -ne 124 ] || fail "HANG, instead of: $1"
    says 1 "$1"
}

goes_well() { # WHAT
    [ $status -eq 0 ] || { fail "$1: status $status"; return 1; }
    grep -qF 'results right' "$output" || fail "$1: status 0, but the results are not said to be right"
}

mapped_job() { # MAP RANKS WORD ...
    mapped_map=$1 mapped_ranks=$2
    shift 2
    job "$mapped_ranks" waymark run -m "$mapped_map" $run_options -- "$@"
}

# The first line of a case's `error` without the name of the map: "3:19: unknown name …".
sentence_of() { sed -n '1s/^map\.scm://p' "$invalid/$1/error"; }

bad_map() { # CASE: the message once, from 4 ranks, and the end of the job; or, when asked for, a warning and results
    mapped_job "$invalid/$1/map.scm" 4 "$faulty" plain
    ends_badly "$(sentence_of "$1")"
    WAYMARK_ON_ERROR=native && export WAYMARK_ON_ERROR
    mapped_job "$invalid/$1/map.scm" 4 "$faulty" plain
    unset WAYMARK_ON_ERROR
    goes_well "$1, native on error"
    says 1 "$(sentence_of "$1")"
    says 1 "WAYMARK_ON_ERROR=native"
}

# The sentences of all kinds of faults: tests/core/map/test_invalid_maps.
bad_map unknown-axis
bad_map memory-bomb
WAYMARK_MAP_DEADLINE=0.5 && export WAYMARK_MAP_DEADLINE
bad_map endless-loop

# Each question is quick enough, all of them together are not: the job starts, and says why it looked no further.
cat >"$work/slow.scm" <<'MAP'
(define (spin n) (or (= n 0) (spin (- n 1))))
(path-map
  (on (barrier bcast reduce allreduce gather scatter allgather alltoall)
    ((and (spin 40000) (odd? bytes)) (path (native)))
    (else (path (native)))))
MAP
mapped_job "$work/slow.scm" 2 "$faulty" plain
goes_well "a map that takes its time"
says 1 "is used before all of its rules are checked"
unset WAYMARK_MAP_DEADLINE

# A map whose fault shows only when the communicator's ranks are known.
cat >"$work/ragged.scm" <<'MAP'
(path-map
  #:grid '(node (core 3))
  (on allreduce (path (reduce-scatter core) (allreduce node))))
MAP
mapped_job "$work/ragged.scm" 4 "$faulty" plain
ends_badly "ragged.scm:3:23: "

mapped_job "$work/nowhere.scm" 4 "$faulty" plain
ends_badly nowhere.scm
job_environment="FAULTS_JOB=$token LD_PRELOAD=${LD_PRELOAD_FIRST:+${LD_PRELOAD_FIRST#*=}:}$WAYMARK_PRELOAD WAYMARK_MAP=$work/nowhere.scm"
job 4 "$faulty" plain
ends_badly nowhere.scm
job_environment=FAULTS_JOB=$token

for setting in WAYMARK_TRACE_MODE=sideways WAYMARK_MAP_DEADLINE=soon WAYMARK_VERBOSE=9 WAYMARK_ON_ERROR=panic; do
    job_environment="FAULTS_JOB=$token $setting"
    mapped_job hierarchy 4 "$faulty" plain
    ends_badly "${setting%=*} is '${setting#*=}'"
done
job_environment=FAULTS_JOB=$token

# A trace that cannot be written.
touch "$work/file"
run_options="-t $work/file/trace"
mapped_job hierarchy 4 "$faulty" plain
ends_badly "$work/file/trace"
run_options=

# A rank that is out of memory: no other waits for it, whatever the kind of call, and though errors are returned.
cat >"$work/exchange.scm" <<'MAP'
(path-map
  (on allreduce (path (allreduce all #:shape 'butterfly)))
  (on bcast (path (bcast all #:shape 'chain))))
MAP
if [ -z "$LD_PRELOAD_FIRST" ]; then
    for kind in blocking nonblocking packed; do
        mapped_job "$work/exchange.scm" 2 "$faulty" starves-$kind
        ends_badly "at rank 1: the job ends"
        grep -q 'waymark: no memory for .* collective at rank 1' "$output" || fail "starves-$kind: no sentence"
    done
fi

# Programs with manners of their own, traced: that does all that is done without a trace, and more.
run_options="-t $work/trace"
for mode in ignores-children handles-children waits-for-all timer blocks-signals loses-communicator kills-server; do
    mapped_job hierarchy 4 "$faulty" $mode
    goes_well "$mode"
done
mapped_job hierarchy 4 "$faulty" loses-server
goes_well "loses-server"
says 1 "what this concerns runs natively"
if [ -x "$build/tests/mpi/trapping" ]; then
    mapped_job hierarchy 4 "$build/tests/mpi/trapping"
    goes_well "floating-point traps"
fi

# A program that closes files it does not know and opens its own under the same numbers: nothing of ours may go there.
mapped_job hierarchy 4 "$faulty" closes-files "$work/own"
goes_well "closes-files"
[ -e "$work/own" ] || fail "closes-files opens no file of its own"
[ -s "$work/own" ] && fail "something was written into the program's own file"
run_options=

mapped_job hierarchy 4 "$faulty" leaves-by-exit
[ $status -eq 5 ] || fail "a program that ends without MPI_Finalize: status $status, not 5"

# Rank 2 is killed in the middle of a traced run; every rank says by a pipe or file when it is well under way.
killed_run() { # MODE
    rm -rf "$work/trace" "$work"/pid.*
    mkfifo "$work/pid.2"
    jobs=$((jobs + 1))
    env $LD_PRELOAD_FIRST $job_environment timeout -k 5 $((4 * limit)) $mpirun -n 4 waymark run -m hierarchy -t "$work/trace" --mode "$1" -- \
        "$faulty" loop "$work/pid" </dev/null >"$output" 2>&1 &
    victim=$(timeout $((2 * limit)) head -n 1 "$work/pid.2")
    [ -n "$victim" ] && kill -KILL "$victim"
    wait $!
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "a job whose rank is killed ends with status $status"
    waymark report "$work/trace" >"$output" 2>&1 || fail "no report of a $1 trace with a killed rank"
    grep -q 'hierarchy.scm:[0-9]' "$output" || grep -q '[1-9][0-9]* calls' "$output" || fail "an empty report of a killed $1 run"
}
killed_run flight
killed_run full

# Shells and launchers that never call MPI.
silent() {
    said=$(LD_PRELOAD=$WAYMARK_PRELOAD WAYMARK_MAP=$work/nowhere.scm WAYMARK_TRACE=$work/no-trace WAYMARK_VERBOSE=2 "$@" 2>&1)
    [ "$said" = "$expected" ] || { echo "$said" >"$output"; fail "'$*' under the preloaded library is not silent"; }
}
if [ -z "$LD_PRELOAD_FIRST" ]; then
    expected= silent true
    expected=word silent sh -c 'echo word | cat'
    [ ! -e "$work/no-trace" ] || fail "a program without MPI leaves a trace"
fi

# Nothing is left behind: no process of these jobs, no shared memory of ours, no file where they ran.
ours() { grep -lsa "FAULTS_JOB=$token" /proc/[0-9]*/environ; }
ended $(ours) ||
    { for file in $(ours); do tr '\0' ' ' <"${file%environ}cmdline"; echo; done >"$output"; fail "processes are left behind"; }
ls /dev/shm | grep -i 'waymark\|^wm' >"$output" && fail "shared memory is left behind"
ls -A >"$output"
[ -s "$output" ] && fail "files are left behind"
cd "$build" || exit 99
verdict
