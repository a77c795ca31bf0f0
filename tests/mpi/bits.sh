#!/bin/sh
# Sums of floating-point numbers have the same bits at all ranks, in every call and in every job, whoever is late, under
# maps that say nothing of #:order; under 'arrival at all ranks of a call.
. "${srcdir:-.}/tests/mpi/job.sh"
maps=$srcdir/tests/mpi/maps

sums() { # PART RANKS MAP ...: the first map is the job's, the others have their turns
    part=$1 ranks=$2 map=$3
    shift 3
    COLLECTIVES_MAPS=$(for each in "$@"; do echo "reductions:$each"; done | tr '\n' ' ')
    COLLECTIVES_PLANNED=reductions && export COLLECTIVES_MAPS COLLECTIVES_PLANNED
    mapped "$map" "$ranks" "$build/tests/mpi/collectives" 100 1 "$part" || return
    grep -q '^collectives: .* 0 wrong$' "$output" || fail "$part on $ranks ranks: other bits"
    grep -qx "$# further maps" "$output" || fail "$part on $ranks ranks: not every map had its turn"
}

for job in first second; do
    sums bits 8 hierarchy fast rabenseifner "$maps/trees.scm" "$maps/shards.scm"
    sed -n '/^bits/p' "$output" >"$work/$job"
done
[ "$(wc -l <"$work/first")" -eq 5 ] && cmp -s "$work/first" "$work/second" || fail "sums have other bits in a second job"
sums bits 7 "$maps/ordered.scm" hierarchy
sums alike 5 "$maps/arriving.scm"
verdict
