#!/bin/sh
# The programs of examples/statements: right by both ways at one rank and several, and under a map; and the lines that their README
# says they have.
. "${srcdir:-.}/tests/mpi/job.sh"
limit=60
examples=$srcdir/examples/statements

right() { # RANKS PROGRAM
    for way in mpi statement; do
        grep -q "^$2: $1 ranks, by $way, .*; right$" "$output" || fail "$2 at $1 ranks: not right by $way"
    done
}

for source in "$examples"/*.c; do
    program=$(basename "$source" .c)
    [ "$program" = ways ] && continue
    for ranks in 1 5; do
        job $ranks "$build/examples/statements/$program"
        [ $status -eq 124 ] && fail "HANG: $program at $ranks ranks" && continue
        [ $status -eq 0 ] || fail "$program at $ranks ranks: status $status"
        right $ranks "$program"
    done
    mapped fast 3 "$build/examples/statements/$program" && right 3 "$program"
    "$examples/lines.sh" "$source" | {
        read -r name mpi statement
        grep -q "^| \`$name\` | $mpi | $statement |" "$examples/README.md"
    } || fail "README.md says otherwise than lines.sh of $program"
done
verdict
