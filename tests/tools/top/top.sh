#!/bin/sh
# `waymark top`: its command line; a job that hangs, one that was killed, one that has ended.
. "${srcdir:-.}/tests/mpi/job.sh"
calls=$build/tests/tools/calls

# said STATUS PATTERN WORD ...: the command ends so, and a line of what it says matches.
said() {
    expected=$1 pattern=$2
    shift 2
    "$@" >"$output" 2>&1
    found=$?
    [ $found -eq "$expected" ] || fail "$*: status $found, not $expected"
    grep -q -- "$pattern" "$output" || fail "$*: nothing matches '$pattern'"
}
shows() { # PATTERN: in the last snapshot
    grep -q -- "$1" "$output" || fail "nothing matches '$1'"
}
COLUMNS=110
export COLUMNS

mkdir "$work/empty"
said 2 "no trace directory is named" waymark top
said 2 "one trace directory at a time" waymark top one two
said 2 "--stuck is a time like 200ms, 1.5s or 2min, not 'soon'" waymark top --stuck soon "$work/empty"
said 2 "--interval is a time" waymark top --interval 0s "$work/empty"
said 3 "cannot read the trace directory '.*/none': No such file" waymark top "$work/none"
said 3 "no rank has begun a trace" waymark top --once "$work/empty"

# Rank 1 never comes to the last allreduce. A loaded machine may keep others waiting before: look until that is seen.
mkdir "$work/hang"
jobs=$((jobs + 1))
env $LD_PRELOAD_FIRST timeout -k 5 "$limit" $mpirun -n 3 waymark run -m flat -t "$work/hang" -- "$calls" hang \
    "$work/pid" </dev/null >"$work/said" 2>&1 &
launcher=$!
missed="which never came to this call and has been computing, or in point-to-point calls of its own, for"
for try in 1 2 3 4 5 6 7 8 9 10; do
    timeout "$limit" waymark top --until-stuck --stuck 1s --interval 100ms "$work/hang" >"$output" 2>&1
    status=$?
    tr '\n' ' ' <"$output" | grep -q "$missed" && break
    kill -0 $launcher 2>/dev/null || break
done
[ $status -eq 1 ] || fail "status $status, not 1, when ranks are stuck"
tr '\n' ' ' <"$output" >"$work/line"
grep -q "stuck in MPI_Allreduce at flat.scm:9, call #[0-9]* on MPI_COMM_WORLD, for" "$work/line" || fail "the call is not named"
grep -q "waits for rank 1 (message 0, 8 B), $missed" "$work/line" || fail "what is missed is not named"
shows "3 of 3 ranks; 2 in MPI, 1 computing"
shows "^  0 .* MPI_Allreduce flat.scm:9 #"
shows "^  1 .* computing$"
said 1 "stuck in MPI_Allreduce" waymark top --once --until-stuck --stuck 1ms "$work/hang"
said 0 "2 in MPI, 1 computing" waymark top --once --stuck 1000min "$work/hang"
grep -q "stuck in" "$output" && fail "stuck before its time"

# Killed, the ranks stay where they were.
for rank in 0 1 2; do
    [ -s "$work/pid.$rank" ] && kill -KILL "$(cat "$work/pid.$rank")"
done
wait $launcher
said 0 "0 in MPI, 0 computing, 3 gone; no process is left" waymark top --until-stuck "$work/hang"
shows "^  0 .* gone in MPI_Allreduce flat.scm:9 #"
shows "^  1 .* gone, was computing$"

# A job that has ended.
run_options="-t $work/end"
mapped flat 3 "$calls" end
said 0 "0 in MPI, 0 computing, 3 ended; all have ended" waymark top --until-stuck "$work/end"
shows "^  2 .* 1,600 .* ended$"
verdict
