#!/bin/sh
# The maps of specs/pycsp: each is proven for any machine, and serves random calls of its collective under MPI.
. "${srcdir:-.}/tests/mpi/job.sh"
calls=${WAYMARK_TEST_CALLS:-40}
seed=${WAYMARK_TEST_SEED:-1}

parts() { # COLLECTIVE: those of tests/mpi/collectives.c that call it
    case $1 in
    barrier) echo barrier burst ;;
    bcast | reduce | allreduce) echo world every-root nothing burst ;;
    *) echo blocks ;;
    esac
}

for file in "$srcdir"/specs/pycsp/*.scm; do
    variant=$(basename "$file" .scm)
    map=pycsp/$variant
    waymark check "$map" --ranks 1-9 >"$output" 2>&1 || fail "$map is not proven"
    # Each says what it does under its own name, and it is the map that names its collective.
    head -1 "$file" | grep -q "^;; $variant: " || fail "$map does not open with its name"
    grep -q "^  (on (*${variant%%-*}[ )].*(trace '$variant)" "$file" || fail "$map does not map ${variant%%-*}"
    for ranks in 4 5; do
        seed=$((seed + 1))
        # shellcheck disable=SC2046 # words
        mapped "$map" $ranks "$build/tests/mpi/collectives" $seed "$calls" $(parts "${variant%%-*}") || continue
        grep -q '^collectives: .* 0 wrong$' "$output" || fail "map $map, $ranks ranks, seed $seed: no result"
    done
done

waymark show pycsp/reduce-chian --op reduce >"$output" 2>&1 && fail "a map that is not there is shown"
grep -q "did you mean 'pycsp/reduce-chain'?" "$output" || fail "nothing is said of the map that was meant"
verdict
