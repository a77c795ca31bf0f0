#!/bin/sh
# A job's map is changed while it runs: random calls against a serial answer, and the tool. RETUNE_SWITCHES=10000 for longer, RETUNE_RANKS for other jobs.
. "${srcdir:-.}/tests/mpi/job.sh"
retuning=$build/tests/mpi/retuning
specs=$srcdir/specs
run_options="--retune 0.0002"
limit=600

sed "s/^(path-map/& (on conveyor (path (trace) (aggregate 1KiB #:buffers 2) (remote 'mpi)))/" "$specs/recursive-doubling.scm" \
    >"$work/parcels.scm"

for ranks in ${RETUNE_RANKS:-3 4}; do
    mapped fast $ranks "$retuning" "${RETUNE_SWITCHES:-40}" "$specs/ring.scm" "$specs/native.scm" "$work/parcels.scm" \
        "$specs/fast.scm" "$specs/recursive-doubling.scm" || continue
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
env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun -n 3 waymark run -m fast --retune 0.01 -t "$work/trace" -- "$retuning" 8 </dev/null >"$output" 2>&1 &
job_pid=$!
until waymark retune $job_pid --back >"$work/tool" 2>&1 || ! grep -q "takes another map" "$work/tool"; do
    kill -0 $job_pid 2>/dev/null || break
done
says "the job has had no other map"
retune 1 -m "$work/wrong.scm"
retune 1 -m "$work/grid.scm"
retune 2
retune 2 -m ring --back
retune 2 -m ring --keep
retune 2 --back --trial 10
retune 1 -m fast
says "the job has this map already"
retune 0 -m ring
says "epoch 1: '"
rank=$(sed 's/ .*//' /proc/$(sed 's/ .*//' /proc/$job_pid/task/$job_pid/children)/task/*/children 2>/dev/null | head -n 1)
[ -z "$rank" ] || job_pid_of_rank=$rank
waymark retune "${job_pid_of_rank:-$job_pid}" --back >"$work/tool" 2>&1 || fail "by a rank: $(cat "$work/tool")"
says "epoch 2: '"

# Trials: against a map with delays another one is kept, and it is not taken again.
sed "s/(trace '[a-z]*)/& (delay 300us #:axis all)/" "$specs/ring.scm" >"$work/slow.scm"
retune 0 -m "$work/slow.scm" --unproven
retune 0 -m ring --trial 12
says "epoch 4: 'ring' is tried beside '$work/slow.scm'"
says "the new map is not slower by more than 2 %"
grep -q "^  allreduce  *64 B  *3 .* µs " "$work/tool" || fail "no row of what was measured: $(cat "$work/tool")"
says "epoch 5: '"
retune 3 -m "$work/slow.scm" --trial 400 --unproven
says "the new map is slower by more than 2 %"
says "epoch 7: '"
retune 0 -m native --unproven
wait $job_pid || fail "the job that was retuned ends with $?"
grep -q "^epochs 8 .* wrong 0\$" "$output" || fail "retuned: no right answer"
retune 1 -m ring
says "takes another map"
waymark report "$work/trace" >"$output" 2>&1
for text in "by line of .*/fast.scm" "by line of .*/ring.scm"; do
    grep -q "$text" "$output" || fail "the report says nothing of '$text'"
done
tr -s '\n ' ' ' <"$output" >"$work/report" # its sentences are wrapped wherever their numbers put the margin
for text in "epoch 1 from " "map $work/slow.scm, beside which another one is tried"; do
    grep -qF "$text" "$work/report" || fail "the report says nothing of '$text'"
done

# Online: what the slow map gives to most calls is left to the library instead, and the map that this makes is one.
sed 's/300us/60us/' "$work/slow.scm" >"$work/delayed.scm"
run_options="--retune 0.01 --online -v"
if mapped "$work/delayed.scm" 3 "$retuning" 4; then
    size=$(sed -n 's/^waymark: online: allreduce from \([0-9]*\) B: (native): .* rounds: kept$/\1/p' "$output")
    [ -n "$size" ] || fail "a path that is slower by far is not given up"
    sed -n '/^--- /,/^[^-+@ ]/p' "$output" | sed '/^[^-+@ ]/d' >"$work/patch"
    cp "$work/delayed.scm" "$work/better.scm"
    patch -s "$work/better.scm" "$work/patch" >"$output" 2>&1 || fail "the patch is none"
    waymark explain "$work/better.scm" --op allreduce --bytes "$size" --grid core=3 >"$output" 2>&1
    grep -q 'native' "$output" || fail "the patched map does not leave the calls to the library"
    waymark explain "$work/better.scm" --op allreduce --bytes "$size" --grid core=4 >"$output" 2>&1
    grep -q 'delay' "$output" || fail "the patch is not for three ranks alone"
fi

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
