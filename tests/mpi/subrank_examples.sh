#!/bin/sh
# The programs of examples/subranks: right by every variant, and, as subranks, bit by bit as plain ranks.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60
examples=$build/examples/subranks

# right RANKS VARIANT PROCESSES WORD ...: so many processes are so many ranks, and right; $digest is that of their results.
right() {
    count=$1 variant=$2 processes=$3
    shift 3
    job "$processes" "$@"
    [ $status -eq 124 ] && fail "HANG: $processes processes, $*" && return
    digest=$(sed -n "s/^.*: $count ranks, $variant, .* an iteration; right, digest //p" "$output")
    [ $status -eq 0 ] && [ -n "$digest" ] || fail "$count ranks, $variant: status $status of $*"
}

# The digest of subranks is that of plain ranks, computed by another variant or not.
try() { # PROGRAM SIZE ITERATIONS
    program=$examples/$1
    shift
    right 1 original 1 "$program" original "$@"
    right 4 overlap 4 "$program" overlap "$@"
    plain=$digest
    right 4 original 2 waymark run --subranks 2 --workers 2 -- "$program" original "$@"
    [ "$digest" = "$plain" ] || fail "$program, 2 by 2, each by 2 workers: $digest instead of $plain"
    right 8 original 8 "$program" original "$@"
    plain=$digest
    right 8 original 1 waymark run --subranks 8 -- "$program" original "$@"
    [ "$digest" = "$plain" ] || fail "$program, 1 by 8: $digest instead of $plain"
}

try jacobi 20 5
[ ! -x "$examples/heat" ] || try heat 20 5
try cannon 48 3
try cg 64 10
try multigrid 32 3
try unstructured 6 5

job 2 "$examples/jacobi" nocomm 20 5
[ $status -eq 0 ] && grep -q ': 2 ranks, nocomm, .*; wrong, as nothing was sent$' "$output" || fail 'a job without messages'
# Held computations: an iteration is not shorter than a rank's mean share of them.
for program in jacobi cannon unstructured; do
    for count in 1 4; do
        job $count "$examples/$program" overlap 6 5 2000
        us=$(sed -n 's/^.*: \([0-9]*\)\.[0-9] us an iteration; all computations held at 2000 us, late by .*; right, .*/\1/p' "$output")
        [ $status -eq 0 ] && [ "${us:-0}" -ge $((2000 / count)) ] || fail "$program, held: status $status, ${us:-no} us"
    done
done
job 1 "$examples/cg" original 64 10 2000
grep -q '^usage: cg \[original | overlap | nocomm \[SIZE, to [0-9]* \[ITERATIONS\]\]\]$' "$output" || fail 'cg, held'
job 2 "$examples/jacobi" original 0
grep -q '^usage: jacobi .* \[SIZE, to 1024 \[ITERATIONS \[US of all computations in an iteration\]\]\]\]$' "$output" ||
    fail 'a size of 0'
job 3 "$examples/cannon" original 10
grep -q '^cannon: 10 rows and columns do not fit 3 ranks: they are no multiple of the columns of ranks$' "$output" ||
    fail 'what does not fit'
verdict
