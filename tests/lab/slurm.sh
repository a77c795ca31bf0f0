#!/bin/sh
# The batch script of examples/slurm: with a pretended srun, and, where there is a Slurm, as a job of two nodes, whose guards
# name a call that does not match under srun and under salloc.
build=${top_builddir:-$(pwd)}
TMPDIR=$build/tests/lab && export TMPDIR # both nodes see the build directory
. "${srcdir:-.}/tests/mpi/job.sh"
script=$srcdir/examples/slurm/waymark.sbatch
program="$build/examples/convey/histogram --updates 20K --counters 100 --check"
guarded=$build/tests/mpi/guarded
export guarded
cd "$work" || exit 99

shows() { # RANKS NODES: the job's output
    grep -q "^histogram: $1 ranks, .*; right$" "$output" || fail "$2 nodes: the program does not say that its answer is right"
    grep -q "^About this trace" "$output" || fail "$2 nodes: no report"
}

mkdir bin
printf '#!/bin/sh\nshift\nexec %s -n 3 "$@"\n' "$mpirun" >bin/srun
chmod +x bin/srun
jobs=1
PATH=$work/bin:$PATH SLURM_JOB_ID=1 timeout $limit bash "$script" $program >"$output" 2>&1 || fail "a pretended srun: status $?"
shows 3 1

# In the nodes' namespaces: hand the job in, and wait for its end. (sbatch --wait looks for that every half a minute.)
cat >batch <<'BATCH'
sbatch --nodes=2 --ntasks-per-node=2 --output=out "$@" && timeout 60 sh -c 'while [ -n "$(squeue -h)" ]; do sleep 0.2; done'
cat out
for launcher in 'srun --mpi=pmix -N2 -n4' 'salloc -Q -N2 -n4 mpirun'; do
    timeout 60 $launcher waymark run -m fast --verify each -- "$guarded" silent >said 2>&1
    echo "$launcher: status $?, $(grep -c "mismatch: call 1 on 'roots' (4 ranks)" said) named"
done
BATCH
timeout $limit bash "$srcdir/tests/lab/slurm" "$build" sh batch "$script" $program >"$output" 2>&1
status=$?
[ $status -eq 77 ] && { cat "$output"; verdict; exit; }
[ $status -eq 0 ] || fail "a job of two nodes: status $status"
shows 4 2
[ "$(grep -c ': status [^0].*, 1 named$' "$output")" -eq 2 ] || fail "guards of two nodes do not name what does not match"
verdict
