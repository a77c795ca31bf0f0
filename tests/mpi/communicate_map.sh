#!/bin/sh
# Statements go as the map's rules for (statement, knowledge, items, bytes) say.
. "${srcdir:-.}/tests/mpi/job.sh"
program=$build/tests/mpi/communicate_map

mapped "$srcdir/tests/mpi/communicate_map.scm" 3 "$program"
for net in mpi shm auto; do
    echo "(path-map (on statement (path (via messages) (remote '$net))))" >"$work/net.scm"
    mapped "$work/net.scm" 4 "$program"
done

echo "(path-map #:grid '(half (core 2)) (on statement (path (via messages) (delay 50us #:axis half #:jitter 50%))))" >"$work/held.scm"
mapped "$work/held.scm" 4 "$program"

# By conveyors, but for what receivers alone know of; the conveyor has rules of its own, by the statement's name.
echo '(path-map (on (statement "pull") (path (via messages))) (on statement (path (trace) (via conveyor)))
    (on (conveyor "push") (path (aggregate 256 #:buffers 1))))' >"$work/convey.scm"
mapped "$work/convey.scm" 4 "$program"

# What the map wants and a statement cannot be ends the job, at all ranks alike.
echo '(path-map (on (statement "ring") (path (via collective))))' >"$work/wrong.scm"
job 3 waymark run -m "$work/wrong.scm" -- "$program"
[ $status -eq 124 ] && fail "HANG: a statement that is no collective operation"
grep -q "communicate_map.c:[0-9]*: statement.*: via at line 1 of '.*wrong.scm' wants a collective operation, and the statement is none" \
    "$output" || fail "nothing says that a statement is no collective operation"

# What is traced is in the trace: each making of a statement, at each rank.
run_options="--trace $work/trace"
mapped "$srcdir/tests/mpi/communicate_map.scm" 3 "$program" || verdict
waymark report "$work/trace" >"$output" 2>&1 || fail "no report"
for line in "3 .* 5 .*(trace 'cast)" "6 .* 10 .*(trace 'ring)" "8 .* 5 .*(trace 'many)" "9 .* 10 .*(trace 'all)"; do
    grep -q "^  *$line" "$output" || fail "no line $line in the report"
done

# … and what each line of the program took, over ranks and turns.
waymark report "$work/trace" --format json >"$output" 2>&1 || fail "no report"
tr -d ' \n' <"$output" >"$work/json"
row() { # NAME LINE CARRIED BYTES: of three ranks
    grep -qE "\"name\":\"$1\",\"text\":\"$1:[^\"]*\",\"file\":\"[^\"]*communicate_map.c\",\"carried\":\"$3\",\"node\":[0-9]+,\"line\":$2,\"ranks\":3,\"calls\":15,\"bytes\":$4,\"time_ns\":[1-9]" \
        "$work/json" || fail "no statement $1 of line $2, $3, of $4 bytes in the report"
}
line_of() {
    grep -n "$1" "$srcdir/tests/mpi/communicate_map.c" | cut -d : -f 1
}
row cast "$(line_of '"cast:')" global 120
row ring "$(line_of '"ring: left')" global 120
row ring "$(line_of '"ring: right')" global 120
row later "$(line_of '"later:')" global 120
row pull "$(line_of '"pull:')" receiver 120
row push "$(line_of '"push:')" sender "[1-9][0-9]*"
[ "$(grep -o '"carried":' "$work/json" | wc -l)" -eq 6 ] || fail "not six statements in the report"
grep -q '"unknown":0[,}]' "$work/json" || fail "records that no definition explains"

# Other tools call it by its name, too.
for format in csv chrome perfetto paje; do
    waymark convert "$work/trace" --to $format -o "$work/converted.$format" >"$output" 2>&1 || fail "convert to $format"
    grep -aq "statement push: 'many" "$work/converted.$format" || fail "no statement push in $format"
done
verdict
