#!/bin/sh
# What `waymark statement` says of a statement's plan is how the run time makes it: which way, and how much a call that comes
# again, often enough, sends and copies.
. "${srcdir:-.}/tests/mpi/job.sh"

# The texts of both, a line each.
cat >"$work/texts" <<'end'
A[j]@i <<= B[i]@j where i, j in world, i % 2 == 0
A[j]@i <<= A[i]@j where i, j in world, i % 2 == 0
A[2 * i]@0 <<= B[1]@i, A[2 * i + 1]@0 <<= B[2]@i where i in world
x@(i + 1) % ranks <<= 2 * y@i where i in world
x@(i + 1) % ranks <<= x@i where i in world
x@(i + 1) % ranks << + << y@i where i in world
x@0 <<= y@i where i in {1 ... 3}
C[i][0 ... 4]@(i + 1) % ranks <<= D[0 ... 4][i]@i where i in world
x@k <<= y@k
x@right <<= y@me
A[0 ... 4]@right <<= B[4 ... 8]@me, x@me <<= y@me
A[k]@0 <<= B[k]@me
x@right <<= y@me sender
x@i <<= x@2 where i in world
x@i <<= y@2 where i in world
A[0 ... 4]@i <<= A[4 ... 8]@2 where i in world
x@i <<= A[i]@1 where i in world
A[i]@3 <<= x@i where i in world
C[i][0 ... 2]@1 <<= D[1][0 ... 2]@i where i in world
C[i]@1 <<= D[1]@i where i in world
A[i]@j <<= x@i where i, j in world
A[j]@i <<= B[i]@j where i, j in world
A[j]@i <<= A[i]@j where i, j in world
A@0 << max << B@i where i in world
A@j << + << B@i where i, j in world
x@j << + << A[j]@i where i, j in world
x@j << + << y@i where i, j in world, i <= j
A@j << + << B@i where i, j in world, i < j
A[0 ... 4]@i <<= A[0 ... 4]@0 where i in world, i % 2 == 0
A[0 ... 4]@i <<= B[4 ... 8]@1 where i in {2 ... 4}
A[i]@i <<= B[i]@0 where i in {1 ... ranks}
A[i]@3 <<= x@i where i in {0 ... 3}
A[2 * i]@3 <<= x@i where i in {1 ... ranks}
x@1 << + << 2 * y@i where i in {2 ... 4}
A@0 << max << B@i where i in {1 ... ranks}
A@i / 2 << + << B@i where i in world
A@i / 2 * 2 << + << B@i where i in world
A[i]@j <<= x@i where i, j in {1 ... 4}
A[j]@i <<= B[i]@j where i, j in world, i != 2, j != 2
A@j << + << B@i where i, j in {0 ... 3}
x@j << + << A[j]@i where i, j in {0 ... 3}
end

say() { # PROMISE TEXT: what the tool says of calls that come again
    set -- "$2" $([ "$1" = free ] || echo --stable k --stable right)
    waymark statement "$@" --ranks 4 --let k=me --let 'right=(me+1)%ranks' --let 'A[16]' --let 'B[16]' --let 'C[4][4]' \
        --let 'D[4][4]' --let x --let y --format json >"$work/json" || fail "waymark statement $1"
    tr -d ' \n' <"$work/json" | sed -E \
        -e 's/.*"plan":.*"again":\{"way":"collective".*"copied_bytes":\{[^}]*"all":([0-9]+)\}.*"operation":\{"name":"([^"]*)","root":([0-9]+),"block_bytes":([0-9]+),"teams":([a-z]+)\}.*/collective \2 \3 \4 \1 \5/' \
        -e 's/ [0-9]+ ([0-9]+ [0-9]+) true$/ teams \1/' -e 's/ false$//' \
        -e 's/.*"plan":.*"again":\{"way":"([a-z]+)".*"messages":\{[^}]*"all":([0-9]+)\},"bytes":\{[^}]*"all":([0-9]+)\}.*"in_place":\{[^}]*"all":([0-9]+)\},"copied_bytes":\{[^}]*"all":([0-9]+)\}.*/\1 \2 \3 \4 \5/' \
        -e 's/^(nbx [0-9]+ [0-9]+) .*/\1/'
    echo
}

for promise in free stable; do
    set --
    while read -r text; do
        set -- "$@" "$text"
        say $promise "$text"
    done <"$work/texts" >"$work/said"
    mapped fast 4 "$build/tests/mpi/communicate_plans" $promise "$@"
    diff "$work/said" "$output" >"$work/diff" || { fail "$promise: said, and made:"; paste -d '\n' "$work/texts" "$work/said" "$output"; }
    [ "$(grep -cE '^(posted|nbx|collective)' "$work/said")" -eq $# ] || fail "$promise: of some the tool says nothing"
done
grep -q '^nbx' "$work/said" && fail "what is stable is not learned"
verdict
