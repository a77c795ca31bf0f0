#!/bin/sh
# The maps of specs/pycsp: each is proven for any machine, and serves random calls of its collective under MPI.
. "${srcdir:-.}/tests/mpi/job.sh"
calls=${WAYMARK_TEST_CALLS:-40}
seed=${WAYMARK_TEST_SEED:-1}

# Each is proven, says what it does under its own name, and maps the collective that it is named for. Conformance
# (tests/wrappers/test_conformance) proves its wrappers on more machines.
for file in "$srcdir"/specs/pycsp/*.scm; do
    variant=$(basename "$file" .scm)
    waymark check "pycsp/$variant" --ranks 1-5,9 >"$output" 2>&1 || fail "pycsp/$variant is not proven"
    head -1 "$file" | grep -q "^;; $variant: " || fail "pycsp/$variant does not open with its name"
    grep -q "^  (on (*${variant%%-*}[ )].*(trace '$variant)" "$file" || fail "pycsp/$variant does not map ${variant%%-*}"
done

# The maps of some collectives one after another in a job, with the parts of tests/mpi/collectives.c that call these.
serve() { # COLLECTIVE,COLLECTIVE,… PART ...
    collectives=$1
    shift
    COLLECTIVES_MAPS=$(cd "$srcdir/specs/pycsp" && ls ./*.scm | sed 's,^\./,,; s,\.scm$,,' |
        grep -E "^($(echo "$collectives" | tr , '|'))-" | sed 's,^,none:pycsp/,' | tr '\n' ' ')
    export COLLECTIVES_MAPS
    for ranks in 4 5; do
        seed=$((seed + 1))
        mapped native $ranks "$build/tests/mpi/collectives" $seed "$calls" "$@" || continue
        grep -q '^collectives: .* 0 wrong$' "$output" || fail "maps of $collectives, $ranks ranks, seed $seed: no result"
        grep -qx "$(echo "$COLLECTIVES_MAPS" | wc -w) further maps" "$output" ||
            fail "maps of $collectives, $ranks ranks: not every map had its turn"
        served=$((served + $(echo "$COLLECTIVES_MAPS" | wc -w)))
    done
}
served=0
serve barrier barrier burst
serve bcast,reduce,allreduce world every-root nothing burst
serve gather,scatter,alltoall blocks
[ $served -eq $((2 * $(ls "$srcdir"/specs/pycsp/*.scm | wc -l))) ] || fail "a map of specs/pycsp serves no calls"

waymark show pycsp/reduce-chian --op reduce >"$output" 2>&1 && fail "a map that is not there is shown"
grep -q "did you mean 'pycsp/reduce-chain'?" "$output" || fail "nothing is said of the map that was meant"
verdict
