#!/bin/sh
# A job's map is changed while it runs: random calls against a serial answer, and the tool. RETUNE_SWITCHES=10000 for longer.
. "${srcdir:-.}/tests/mpi/job.sh"
retuning=$build/tests/mpi/retuning
specs=$srcdir/specs
run_options="--retune 0.0002"
limit=600

for ranks in 3 4; do
    mapped fast $ranks "$retuning" "${RETUNE_SWITCHES:-40}" "$specs/ring.scm" "$specs/native.scm" "$specs/fast.scm" \
        "$specs/recursive-doubling.scm" || continue
    grep -q "^epochs .* wrong 0\$" "$output" || fail "$ranks ranks: no right answer"
done

# The tool: it finds the job by its launcher, refuses what is wrong, changes the map, and goes back.
retune() { # STATUS OPTION ...
    wanted=$1
    shift
    waymark retune $job_pid "$@" >"$work/tool" 2>&1
    [ $? -eq "$wanted" ] || fail "retune $*: not status $wanted: $(cat "$work/tool")"
}

says() { # TEXT
    grep -qF -- "$1" "$work/tool" || fail "retune does not say '$1': $(cat "$work/tool")"
}

echo '(path-map (on bcast (else (bcast nonsense' >"$work/wrong.scm"
sed 's/(path-map/(path-map #:grid (node core)/' "$specs/ring.scm" >"$work/grid.scm"
jobs=$((jobs + 1))
env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun -n 3 waymark run -m fast --retune 0.01 -- "$retuning" 3 </dev/null >"$output" 2>&1 &
job_pid=$!
until waymark retune $job_pid --back >"$work/tool" 2>&1 || ! grep -q "takes another map" "$work/tool"; do
    kill -0 $job_pid 2>/dev/null || break
done
says "the job has had no other map"
retune 1 -m "$work/wrong.scm"
retune 1 -m "$work/grid.scm"
retune 2
retune 2 -m ring --back
retune 1 -m fast
says "the job has this map already"
retune 0 -m ring
says "epoch 1: '"
rank=$(sed 's/ .*//' /proc/$(sed 's/ .*//' /proc/$job_pid/task/$job_pid/children)/task/*/children 2>/dev/null | head -n 1)
[ -z "$rank" ] || job_pid_of_rank=$rank
waymark retune "${job_pid_of_rank:-$job_pid}" --back >"$work/tool" 2>&1 || fail "by a rank: $(cat "$work/tool")"
says "epoch 2: '"
retune 0 -m native --unproven
wait $job_pid || fail "the job that was retuned ends with $?"
grep -q "^epochs 3 .* wrong 0\$" "$output" || fail "retuned: no right answer"
retune 1 -m ring
says "takes another map"

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
