#!/bin/sh
# Guards of several hosts: what is wrong on one is named and ends waits on another; the doctor sees all from rank 0's host;
# and a guard that hears none above says so.
. "${srcdir:-.}/tests/lab/lab.inc.sh"
guarded=$build/tests/mpi/guarded
sh "$lab" up --dir "$hosts" --hosts 3 --life 600 || exit

# begin WORD ...: a watched job in the background, in $job_pid.
begin() {
    jobs=$((jobs + 1))
    rm -f "$work/go"
    : >"$output"
    timeout -k 5 $limit $mpirun waymark run -m "$map" --guard watch -- "$guarded" "$@" </dev/null >"$output" 2>&1 &
    job_pid=$!
}

says() { # TEXT ...: the job says all of these while it runs
    for text in "$@"; do
        timeout $limit tail -n +1 -f -s 0.1 --pid=$job_pid "$output" | grep -qF -m 1 -- "$text" || fail "nobody says '$text'"
    done
}

finish() { # WHAT: the job ends by itself, and so do the guards
    wait $job_pid || [ $? -ne 124 ] || fail "HANG: $1"
    sh "$lab" on --dir "$hosts" sh -c 'while pgrep waymark-guard; do sleep 0.1; done' >/dev/null
}

rank_process() { # RANK: of the job that waits for $work/go, others run the same program
    pgrep -f "^$guarded .*$work/go" | while read -r process; do
        tr '\0' '\n' <"/proc/$process/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$process"
    done
}

# A rank waits for one of another host, which is killed.
echo "(path-map (on allreduce (path (remote 'mpi) (allreduce all #:shape 'ring))))" >"$work/remote.scm"
placed 2,2,2 cyclic
map=$work/remote.scm mpirun="$mpirun --enable-recovery -n 4"
begin dead "$work/go"
says 'rank 3 calls no more'
kill -KILL "$(rank_process 3)"
says 'waiting: class MPI_ERR_OTHER, a rank of the communicator is dead' 'waymark: rank 3 (pid '
finish 'dead rank'
grep -qx 'the other half has gone on' "$output" || fail "the other half has not gone on"

# The root sees all, and is killed.
placed 1,1,1 block
map=native mpirun="$mpirun -n 3"
begin until "$work/go"
sees_all() { # the doctor
    for try in $(seq 100); do
        # shellcheck disable=SC2016
        sh "$lab" on --dir "$hosts" sh -c 'waymark doctor --format json "$(pgrep -xn mpirun)"' >"$work/doctor" 2>&1
        grep -q '"seen": 3' "$work/doctor" && return
    done
    fail "on rank 0's host the doctor does not see all: $(cat "$work/doctor")"
}
sees_all
# shellcheck disable=SC2016
sh "$lab" on --dir "$hosts" sh -c 'own=$(readlink /proc/self/ns/uts)
for guard in $(pgrep waymark-guard); do [ "$(readlink /proc/$guard/ns/uts)" != "$own" ] || kill -KILL $guard; done'
for host in 2 3; do
    says "waymark: the guard of h$host does not hear that of rank 0's host: it judges its own ranks"
done
touch "$work/go"
finish 'killed root'

# Causes on other hosts than rank 0's, which has one rank.
cd "$build" || exit 99
jobs=$((jobs + 3))
sh "$srcdir/tests/lab/injure" --lab "$hosts" --ppn 1,2,2 --seed 5 --faults 3 --keep "$work/kept" >"$output" 2>&1 ||
    fail "not all causes are named: $(cat "$work/kept"/* 2>/dev/null | head -n 40)"
verdict
