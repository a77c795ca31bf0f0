#!/bin/sh
# A few faults drawn by a seed: the guard names the cause of each.
. "${srcdir:-.}/tests/mpi/job.sh"
cd "$build" || exit 99
jobs=4
sh "$srcdir/tests/lab/injure" --seed 12 --faults $jobs --keep "$work/kept" >"$output" 2>&1 ||
    fail "not all causes are named: $(cat "$work/kept"/* 2>/dev/null | head -n 40)"
verdict
