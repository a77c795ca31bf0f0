#!/bin/sh
# A node's memory: parts, what is left behind, and machines that forbid it.
. "${srcdir:-.}/tests/mpi/job.sh"
nodes=$build/tests/mpi/nodes
forbidding=$build/.libs/libwm-forbidding-test.so
token=nodes-$$
job_environment=NODES_JOB=$token
limit=60
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}:verify_asan_link_order=0
export ASAN_OPTIONS

well() { # RANKS WORD ...: the job succeeds and says nothing of Waymark
    job "$@"
    [ $status -eq 0 ] || fail "status $status of $*"
    ! grep -q '^waymark:' "$output" || fail "a complaint from $*"
}

without() { # REASON RANKS WORD ...: the job succeeds, and says once why ranks share nothing
    sentence="waymark: node0: ranks cannot share memory ($1); messages go through MPI"
    shift
    job "$@"
    [ $status -eq 0 ] || fail "status $status of $*"
    [ "$(grep -c '^waymark:' "$output")" -eq 1 ] && grep -qxF "$sentence" "$output" || fail "not said: $sentence"
}

nothing_left() { # AFTER: processes, and with them their memory, go; names there never were
    # shellcheck disable=SC2046 # words
    ended $(grep -lsa "NODES_JOB=$token" /proc/[0-9]*/environ) ||
        fail "processes are left behind after $1"
    ! ls /dev/shm | grep -q waymark || fail "a file is left in /dev/shm after $1"
}

for ranks in 1 2 3 5; do
    well $ranks "$nodes" 1
done
well 4 "$nodes" 2
well 5 "$nodes" 2
well 3 "$nodes" 3
nothing_left "a good end"

for how in abort kill; do
    job 3 "$nodes" 1 $how
    [ $status -ne 0 ] && [ $status -ne 124 ] || fail "$how: status $status"
    nothing_left $how
done

without "memfd_create: Operation not permitted" 3 env "LD_PRELOAD=$forbidding" FORBIDDEN=memfd_create "$nodes" 1 denied
# Where /proc/PID/fd is closed, the file is handed over.
well 3 env "LD_PRELOAD=$forbidding" FORBIDDEN=open "$nodes" 1
without "/proc/PID/fd: Operation not permitted" 3 env "LD_PRELOAD=$forbidding" FORBIDDEN=open,socket "$nodes" 1 denied
# For one rank alone.
cat >"$work/last.sh" <<'SH'
[ "$OMPI_COMM_WORLD_RANK" != 2 ] || export FORBIDDEN=$1
shift
exec "$@"
SH
well 3 env "LD_PRELOAD=$forbidding" sh "$work/last.sh" open "$nodes" 1
without "/proc/PID/fd: Operation not permitted" \
    3 env "LD_PRELOAD=$forbidding" sh "$work/last.sh" open,socket "$nodes" 1 denied
if unshare -Ur true 2>/dev/null; then
    well 3 unshare -Ur "$nodes" 1
fi
well 3 env "LD_PRELOAD=$forbidding" FORBIDDEN=process_vm_readv "$nodes" 1
grep -q '^single copy: Operation not permitted, from 18446744073709551615 bytes on$' "$output" ||
    fail "process_vm_readv is forbidden, but: $(grep 'single copy' "$output")"

# Limits; the address space of a sanitizer knows none.
without "limits of the process's address space or of file sizes" 2 "$nodes" 1 denied 10000000
well 2 "$nodes" 1 allowed 100000000
if ! nm "$nodes" | grep -q __asan_init; then
    without "limits of the process's address space or of file sizes" 2 "$nodes" 1 denied - 50000000
    well 2 "$nodes" 1 allowed - 1500000000
fi
# The memory is not that of /dev/shm.
if unshare -m true 2>/dev/null; then
    job 2 unshare -m sh -c "mount -t tmpfs -o size=64k none /dev/shm && exec $nodes 1"
    [ $status -eq 0 ] || fail "status $status with a tiny /dev/shm"
fi
nothing_left "all of it"
verdict
