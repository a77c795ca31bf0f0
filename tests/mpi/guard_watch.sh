#!/bin/sh
# The guard's process: it says by itself what is wrong, ends with the ranks, and the job does without it.
. "${srcdir:-.}/tests/mpi/job.sh"
guarded=$build/tests/mpi/guarded
limit=60
PATH=$PATH:$work # the guard's environment has it: so it is known among all processes
export PATH

map=native mpirun="$mpirun -n 2"
# begin WORD ...: a watched job in the background, in $job_pid.
begin() {
    jobs=$((jobs + 1))
    rm -f "$work/go"
    : >"$output"
    env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun waymark run -m "$map" --guard watch $run_options -- \
        "$guarded" "$@" </dev/null >"$output" 2>&1 &
    job_pid=$!
}

says() { # TEXT ...: the job says all of these while it runs
    for text in "$@"; do
        timeout $limit tail -n +1 -f -s 0.1 --pid=$job_pid "$output" | grep -qF -m 1 -- "$text" ||
            fail "nobody says '$text'"
    done
}

guards() { # the words of all guards of ours
    for file in $(grep -lsF "$work" /proc/[0-9]*/environ); do
        words=$({ tr '\0' ' ' <"${file%environ}cmdline"; } 2>/dev/null)
        case $words in
        waymark-guard*) echo "${file#/proc/}" | tr -d '\n' && echo " $words" ;;
        esac
    done | sed 's,/environ, ,'
}

await_guard() { # its process and words in $guard
    guard=
    while [ -z "$guard" ] && kill -0 $job_pid 2>/dev/null; do
        guard=$(guards | head -n 1)
    done
    [ -n "$guard" ] || fail "there is no guard"
}

rank_process() { # RANK: of the job that waits for $work/go, others run the same program
    pgrep -f "^$guarded .*$work/go" | while read -r process; do
        tr '\0' '\n' <"/proc/$process/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$process"
    done
}

finish() { # WHAT [kill]: the job ends, by itself unless it is to be killed, and so does its guard
    [ -z "$2" ] || kill $job_pid 2>/dev/null
    wait $job_pid
    status=$?
    [ $status -ne 124 ] || fail "HANG: $1"
    for process in $(guards | cut -d ' ' -f 1); do
        timeout 20 tail -f -s 0.1 --pid="$process" /dev/null || fail "$1: the guard is still there"
    done
}

begin hang
says "waymark: mismatch: call 1 on 'bcast-reduce' (2 ranks)" '  rank 0           MPI_Reduce' '  rank 1           MPI_Bcast'
finish mismatch kill
[ "$(grep -c 'mismatch: call 1' "$output")" -eq 1 ] || fail "the mismatch is not told once"

begin order
says 'waymark: deadlock: rank 0 waits in MPI_Allreduce' 'waymark: deadlock: rank 1 waits in MPI_Allreduce'
finish deadlock kill
[ "$(grep -c 'deadlock: rank 0' "$output")" -eq 1 ] || fail "the deadlock is not told once"

# Those who are waited for may still come, and do; meanwhile one is stopped in its call.
WAYMARK_PATIENCE=0.5
export WAYMARK_PATIENCE
begin late "$work/go"
await_guard
says 'waymark: hang: rank 0 waits in MPI_Barrier' '  rank 1           '
kill -STOP "$(rank_process 0)"
waymark doctor $job_pid | grep -qxF '  rank 0           is stopped in it' || fail "the doctor does not say who is stopped"
kill -CONT "$(rank_process 0)"
touch "$work/go"
finish late
[ $status -eq 0 ] || fail "late: status $status"
unset WAYMARK_PATIENCE

# A rank is killed. The launcher ends the others, and then itself; it does so a second later, as by default.
OMPI_MCA_odls_base_sigkill_timeout=1 begin until "$work/go"
await_guard
kill -KILL "$(rank_process 1)"
says 'waymark: rank 1 (pid '
finish 'killed rank'

# A rank is killed that the launcher leaves alone: calls on its communicator fail where errors return, others go on.
two=$mpirun mpirun="$mpirun --enable-recovery -n 4"
dead() { # MAP [pending]
    map=$1
    begin dead "$work/go" $2
    says 'rank 3 calls no more'
    kill -KILL "$(rank_process 3)"
    finish "dead rank under $1"
    for what in waiting $2 later nonblocking; do
        grep -q "^$what: class MPI_ERR_OTHER, a rank of the communicator is dead$" "$output" || fail "$1: no error when $what"
    done
    grep -qx 'the other half has gone on' "$output" || fail "$1: the other half has not gone on"
}
echo "(path-map (on allreduce (path (allreduce all #:shape 'ring))))" >"$work/ring.scm"
echo "(path-map (on allreduce (path (remote 'mpi) (allreduce all #:shape 'ring))))" >"$work/remote.scm"
dead fast
dead "$work/ring.scm" pending
run_options="--retune 0.000001" # a meeting before each call
dead "$work/remote.scm" pending
run_options=
mpirun=$two map=native

# The guard is killed.
begin until "$work/go"
await_guard
kill -KILL "${guard%% *}"
touch "$work/go"
finish 'killed guard'
[ $status -eq 0 ] || fail "without its guard: status $status"

# What is right is not spoken of.
job 3 waymark run -m native --guard watch -- "$guarded" legal
[ $status -eq 0 ] || fail "legal: status $status"
! grep -q waymark "$output" || fail "the guard says something of what is legal"

# No guard: the job goes on, and says so.
ln -s "$WAYMARK_LIBEXEC/waymark-map-server" "$work"
WAYMARK_LIBEXEC=$work
export WAYMARK_LIBEXEC
job 2 waymark run --guard watch -- "$guarded" legal
[ $status -eq 0 ] || fail "without a guard: status $status"
grep -q 'waymark: no guard on ' "$output" || fail "nobody says that there is no guard"

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
