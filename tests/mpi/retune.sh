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
env $LD_PRELOAD_FIRST timeout -k 5 $limit $mpirun -n 3 waymark run -m fast --retune 0.01 -t "$work/trace" -- "$retuning" 12 </dev/null >"$output" 2>&1 &
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

# Trials: beside a map with delays another one is kept, and it is not taken again.
sed "s/(trace '[a-z]*)/& (delay 300us #:axis all)/" "$specs/ring.scm" >"$work/slow.scm"
retune 0 -m "$work/slow.scm" --unproven
retune 0 -m ring --trial 40 --keep
says "epoch 4: 'ring' is tried beside '$work/slow.scm'"
grep -q "^  allreduce  *64 B  *3 .*s " "$work/tool" || fail "no row of what was measured: $(cat "$work/tool")"
says "epoch 5: '"
retune 3 -m "$work/slow.scm" --trial 400 --unproven
says "the new map is slower by more than 2 %"
says "epoch 7: '"

# Tuned while it runs: what the slow map gives to most calls is left to the library instead.
retune 0 -m "$work/slow.scm" --unproven
waymark tune --job $job_pid --every 8 -v >"$work/online" 2>&1 || fail "tune --job: status $?"
wait $job_pid || fail "the job that was retuned ends with $?"
grep -q "^epochs 1[2-9] .* wrong 0\$" "$output" || fail "retuned: no right answer"
retune 1 -m ring
says "takes another map"
waymark report "$work/trace" >"$output" 2>&1
tr -s '\n ' ' ' <"$output" >"$work/report" # its sentences are wrapped wherever their numbers put the margin
for text in "by line of [^ ]*/fast.scm" "by line of [^ ]*/ring.scm" "epoch 1 from " "map $work/slow.scm, beside which another one is tried"; do
    grep -q "$text" "$work/report" || fail "the report says nothing of '$text'"
done

# The map that this makes is one.
size=$(sed -n 's/^waymark: online: allreduce from \([0-9]*\) B: (native): .* rounds: kept$/\1/p' "$work/online")
[ -n "$size" ] || fail "a path that is slower by far is not given up: $(cat "$work/online")"
sed -n '/^--- /,/^[^-+@ ]/p' "$work/online" | sed '/^[^-+@ ]/d' >"$work/patch"
patch -s "$work/slow.scm" "$work/patch" >"$output" 2>&1 || fail "the patch is none"
for cores in 3:native 4:delay; do # it is for three ranks alone
    waymark explain "$work/slow.scm" --op allreduce --bytes "${size:-64}" --grid core=${cores%:*} >"$output" 2>&1
    grep -q ${cores#*:} "$output" || fail "the patched map has no ${cores#*:} for ${cores%:*} ranks"
done

# A rank that comes late makes no call longer, whoever's clock is ahead: what the others wait for it is not the call's.
# Meetings are rare: in one, ranks wait for each other before the call.
cat >"$work/late.c" <<'C'
#include <mpi.h>
#include <unistd.h>

/* late FILE: rank 0 comes to each call 4 ms after the others, until there is such a file. */
int main(int argc, char **argv)
{
    long in[8] = {0}, out[8] = {0};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (out[0] == 0) {
        if (rank == 0)
            usleep(4000);
        in[0] = rank == 0 && access(argv[1], F_OK) == 0;
        MPI_Allreduce(in, out, 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
C
waymark cc -O1 -o "$work/late" "$work/late.c" || fail "waymark cc"
jobs=$((jobs + 1))
timeout -k 5 $limit $mpirun -n 3 env LD_PRELOAD="$first$build/.libs/libwm-skewed-clock-test.so" waymark run -m fast --retune 0.5 -- "$work/late" "$work/over" </dev/null >"$output" 2>&1 &
job_pid=$!
until waymark retune $job_pid -m ring --trial 3 --keep >"$work/tool" 2>&1 || ! grep -q "takes another map" "$work/tool"; do
    kill -0 $job_pid 2>/dev/null || break
done
touch "$work/over"
wait $job_pid || fail "the job of a late rank ends with $?"
grep "^  allreduce  *64 B  *3 " "$work/tool" >"$work/row" || fail "no row of a late rank's calls: $(cat "$work/tool")"
! grep -qE " ([2-9]|[0-9]{2,})(\.[0-9]*)? ms |[0-9] s " "$work/row" || fail "waiting for a late rank counts as time: $(cat "$work/row")"

# The same by the job itself.
run_options="--retune 0.01 --online"
mapped fast 3 "$retuning" 1
grep -q '^waymark: online: ' "$output" || fail "nobody tunes"

echo "$jobs jobs, $failures failures"
[ $failures -eq 0 ]
