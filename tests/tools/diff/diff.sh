#!/bin/sh
# `waymark diff`: its command line, and real runs under two maps.
. "${srcdir:-.}/tests/mpi/job.sh"
calls=$build/tests/tools/calls
COLUMNS=110
export COLUMNS
OMPI_MCA_mpi_yield_when_idle=1 && export OMPI_MCA_mpi_yield_when_idle

# said STATUS PATTERN WORD ...: the command ends so, and a line of what it says matches.
said() {
    expected=$1 pattern=$2
    shift 2
    "$@" >"$output" 2>&1
    found=$?
    [ $found -eq "$expected" ] || fail "$*: status $found, not $expected"
    grep -q -- "$pattern" "$output" || fail "$*: nothing matches '$pattern'"
}

said 2 "only one trace directory is named, 'one'; name another" waymark diff one
said 2 "'three' is one trace directory too many" waymark diff one two three
said 2 "--threshold is per cent like 5%, not 'much'" waymark diff --threshold much one two
said 2 "--threshold is per cent" waymark diff --threshold -5% one two
said 2 "--format is 'text' or 'json', not 'xml'" waymark diff --format xml one two
said 3 "cannot read the trace directory '.*/none': No such file" waymark diff "$work/none" "$work/none"

run() { # NAME MAP MODE
    run_options="-t $work/$1"
    mapped "$2" 3 "$calls" "$3"
}
printf '(path-map (on barrier (native)))\n' >"$work/native.scm"
sed 's/^;; flat:/;; a line more\n&/' "$srcdir/specs/flat.scm" >"$work/moved.scm"
run native "$work/native.scm" end
run flat flat end
run moved "$work/moved.scm" end
mkdir "$work/empty"
said 3 "no trace in '.*/empty'" waymark diff "$work/flat" "$work/empty"

# A run and itself: the ratio is 1, and nothing is faster or slower.
said 0 "shows no change in the time of its collectives (ratio 1.00, " waymark diff "$work/flat" "$work/flat"
grep -qE '^ +(faster|slower|unclear|only)' "$output" && fail "a run differs from itself"

# A rank that computes longer is a regression; as the first run it is none. Simulated, for real runs' times depend on what
# else the machine does.
generated() { # NAME OPTION ...
    name=$1
    shift
    "$build/tests/tracer/generate" "$work/$name" "$@" >"$output" 2>&1 || fail "no trace $name"
}
generated even --calls 400
generated late --calls 390 --late-rank 2:3
said 1 "times slower in its collectives (95 % interval " waymark diff "$work/even" "$work/late"
grep -q '^Regression: ' "$output" || fail "no word of the regression"
grep -q 'different numbers of calls' "$output" || fail "no word of the calls' numbers"
said 0 "times faster in its collectives (95 % interval " waymark diff "$work/late" "$work/even"
said 0 "times slower in its collectives" waymark diff --threshold 1000000% "$work/even" "$work/late"

# Native calls have partners under the map, but for the barrier, which the map's rule keeps out of the trace.
waymark diff --threshold 1000000% --format json "$work/native" "$work/flat" >"$work/json" || fail "native against flat"
grep -c '"kind": "call"' "$work/json" >"$work/count"
[ "$(cat "$work/count")" -eq 8 ] || fail "$(cat "$work/count") kinds of calls, not 8"
sed -n '/"kind": "call"/,/"first_place"/p' "$work/json" | grep '"verdict"' | grep -c '"only in DIR' >"$work/count"
[ "$(cat "$work/count")" -eq 1 ] || fail "$(cat "$work/count") calls without a partner, not the barrier alone"

# A line that moved is the same line.
waymark diff --threshold 1000000% "$work/flat" "$work/moved" >"$output" || fail "flat against moved"
waymark diff --threshold 1000000% --format json "$work/flat" "$work/moved" >"$work/json" # the text leaves out what is not dear
grep -o '"[a-z]*_place": "[^"]*"' "$work/json" | grep -A 1 '"flat.scm:9"' | grep -q '"second_place": "moved.scm:10"' ||
    fail "the line has not moved"
grep -q "only in.*scm:" "$output" && fail "a moved line is taken for another"
verdict
